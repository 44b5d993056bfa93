"""The fourteen steps with the client of openapi-python-client."""

from shop import ACCOUNT, ADMIN_KEY, BASE_URL, TOKEN, same, step

from service_management_api_client import AuthenticatedClient
from service_management_api_client.api.admin_records import admin_create_customer
from service_management_api_client.api.admin_views import (
    admin_list_accounts, admin_list_audit_events, admin_overview, admin_read_account, admin_usage,
)
from service_management_api_client.api.customers import (
    create_customer, delete_customer, list_customers, read_customer, update_customer,
)
from service_management_api_client.api.orders import create_order, read_order, update_order
from service_management_api_client.api.payments import list_payments
from service_management_api_client.api.team import list_team_members
from service_management_api_client.models import (
    CustomerChanges, ErrorEnvelope, NewCustomer, NewOrder, NewOrderCustomFieldsType0, OrderChanges,
)

shop = AuthenticatedClient(base_url=BASE_URL, token=TOKEN)
office = AuthenticatedClient(
    base_url=BASE_URL, token=ADMIN_KEY, prefix="", auth_header_name="X-Service-Admin-Key")
kept = {}


def create():
    made = create_customer.sync(client=shop, body=NewCustomer(name="Neema", phone="+255713"))
    kept["customer"] = made.data.id
    same(made.data.owner_sub, ACCOUNT)


def listed():
    answer = list_customers.sync(client=shop, page_size=5)
    same([answer.meta.pagination.total, answer.data[0].name], [1, "Neema"])


def search():
    same(len(list_customers.sync(client=shop, q="neema").data), 1)
    same(len(list_customers.sync(client=shop, q="nobody").data), 0)


def read():
    same(read_customer.sync(client=shop, id=kept["customer"]).data.phone, "+255713")


def change():
    body = CustomerChanges(location="Mikocheni")
    changed = update_customer.sync(client=shop, id=kept["customer"], body=body).data
    same([changed.location, changed.name], ["Mikocheni", "Neema"])


def order():
    fields = NewOrderCustomFieldsType0.from_dict({"waist_cm": 74})
    body = NewOrder(customer="Neema", service="Hem", amount=33333333, custom_fields=fields)
    made = create_order.sync(client=shop, body=body).data
    kept["order"] = made.id
    same([made.amount, made.status, made.paid, made.currency], [33333333, "New", 0, "TZS"])


def large():
    body = NewOrder(customer="Neema", service="Hem", amount=1e15, paid=1)
    same(create_order.sync(client=shop, body=body).data.amount, 1000000000000000)


def status_alone():
    body = OrderChanges(status="Ready")
    changed = update_order.sync(client=shop, id=kept["order"], body=body).data
    same([changed.status, changed.custom_fields.to_dict()], ["Ready", {"waist_cm": 74}])


def payments():
    rows = list_payments.sync(client=shop).data
    same([row.due for row in rows], [999999999999999, 33333333])


def more():
    same(list_team_members.sync(client=shop).data[0].name, "Hamisi")


def delete():
    made = create_customer.sync(client=shop, body=NewCustomer(name="Juma", phone="1")).data
    gone = delete_customer.sync(client=shop, id=made.id).data
    same([gone.id, gone.deleted], [made.id, True])


def missing():
    answer = read_customer.sync(client=shop, id="CUS-9999")
    same([isinstance(answer, ErrorEnvelope), answer.error.code], [True, "NOT_FOUND"])


def refused():
    answer = create_customer.sync_detailed(client=shop, body=NewCustomer(name="", phone="1"))
    same([answer.status_code, answer.parsed.error.code], [422, "VALIDATION_FAILED"])


def operator():
    same(admin_read_account.sync(client=office, owner_sub=ACCOUNT).data.resources.orders, 2)
    body = NewCustomer(name="From the office", phone="1")
    made = admin_create_customer.sync(client=office, owner_sub=ACCOUNT, body=body)
    same(made.data.owner_sub, ACCOUNT)
    events = admin_list_audit_events.sync(client=office).data
    same([events[0].action, events[0].owner_sub], ["create", ACCOUNT])
    same(admin_overview.sync(client=office).data.tenant_count > 0, True)
    same(admin_usage.sync(client=office).data.resources.orders.records > 1, True)
    same(len(admin_list_accounts.sync(client=office, q=ACCOUNT).data), 1)


STEPS = [
    ("create", create), ("list", listed), ("search", search), ("read", read), ("change", change),
    ("order", order), ("large amount", large), ("status alone", status_alone),
    ("payments", payments), ("more properties", more), ("delete", delete), ("404", missing),
    ("422", refused), ("operator", operator),
]
for name, action in STEPS:
    step(name, action)
