"""The fourteen steps with the Python client of openapi-generator."""

import json

from shop import ACCOUNT, ADMIN_KEY, BASE_URL, FOREIGN_TOKEN, TOKEN, fact, same, step

from openapi_client import (
    AdminRecordsApi, AdminViewsApi, ApiClient, ApiException, Configuration, CustomerChanges,
    CustomersApi, NewCustomer, NewOrder, OrderChanges, OrdersApi, PaymentsApi,
    TeamApi,
)


def client(token):
    return ApiClient(Configuration(
        host=BASE_URL, access_token=token, api_key={"adminKey": ADMIN_KEY}))


shop = client(TOKEN)
customers, orders = CustomersApi(shop), OrdersApi(shop)
kept = {}


def refusal(action):
    try:
        action()
    except ApiException as error:
        return [error.status, json.loads(error.body)["error"]["code"]]
    raise AssertionError("not refused")


def create():
    made = customers.create_customer(NewCustomer(name="Neema", phone="+255713")).data
    kept["customer"] = made.id
    same(made.owner_sub, ACCOUNT)


def listed():
    answer = customers.list_customers(page_size=5)
    same([answer.meta.pagination.total, answer.data[0].name], [1, "Neema"])


def search():
    same(len(customers.list_customers(q="neema").data), 1)
    same(len(customers.list_customers(q="nobody").data), 0)


def read():
    same(customers.read_customer(kept["customer"]).data.phone, "+255713")


def change():
    changed = customers.update_customer(kept["customer"], CustomerChanges(location="Mikocheni"))
    same([changed.data.location, changed.data.name], ["Mikocheni", "Neema"])


def order():
    body = NewOrder(customer="Neema", service="Hem", amount=33333333, custom_fields={"waist_cm": 74})
    made = orders.create_order(body).data
    kept["order"] = made.id
    same([made.amount, made.status, made.paid, made.currency], [33333333, "New", 0, "TZS"])


def large():
    body = NewOrder(customer="Neema", service="Hem", amount=1e15, paid=1)
    same(orders.create_order(body).data.amount, 1000000000000000)


def status_alone():
    changed = orders.update_order(kept["order"], OrderChanges(status="Ready")).data
    same([changed.status, changed.custom_fields], ["Ready", {"waist_cm": 74}])


def payments():
    rows = PaymentsApi(shop).list_payments().data
    same([row.due for row in rows], [999999999999999, 33333333])


def more():
    same(TeamApi(shop).list_team_members().data[0].name, "Hamisi")


def delete():
    made = customers.create_customer(NewCustomer(name="Juma", phone="1")).data
    gone = customers.delete_customer(made.id).data
    same([gone.id, gone.deleted], [made.id, True])


def missing():
    same(refusal(lambda: customers.read_customer("CUS-9999")), [404, "NOT_FOUND"])


def refused():
    body = CustomerChanges.model_construct(name="")
    found = refusal(lambda: customers.update_customer(kept["customer"], body))
    same(found, [422, "VALIDATION_FAILED"])


def operator():
    views, records = AdminViewsApi(shop), AdminRecordsApi(shop)
    same(views.admin_read_account(ACCOUNT).data.resources.orders, 2)
    body = NewCustomer(name="From the office", phone="1")
    same(records.admin_create_customer(ACCOUNT, body).data.owner_sub, ACCOUNT)
    event = views.admin_list_audit_events().data[0]
    same([event.action, event.owner_sub], ["create", ACCOUNT])
    same(views.admin_overview().data.tenant_count > 0, True)
    same(views.admin_usage().data.resources.orders.records > 1, True)
    same(len(views.admin_list_accounts(q=ACCOUNT).data), 1)


def foreign():
    rows = CustomersApi(client(FOREIGN_TOKEN)).list_customers().data
    return "read" if len(rows) == 2 else "fails"


def unknown():
    body = NewCustomer(name="Marked", phone="1", additional_properties={"note": "x"})
    made = customers.create_customer(body).data.id
    return "kept" if "note" in customers.read_customer(made).data.to_dict() else "lost"


STEPS = [
    ("create", create), ("list", listed), ("search", search), ("read", read), ("change", change),
    ("order", order), ("large amount", large), ("status alone", status_alone),
    ("payments", payments), ("more properties", more), ("delete", delete), ("404", missing),
    ("422", refused), ("operator", operator),
]
for name, action in STEPS:
    step(name, action)
fact("unknown", unknown)
fact("foreign", foreign)
