// The fourteen steps with the client of progenitor.

use shop::types::{CustomerChanges, NewCustomer, NewOrder, OrderChanges};
use shop::{Client, Error};
use std::fmt::Debug;
use std::future::Future;
use std::num::NonZeroU64;

type Wrong = Box<dyn std::error::Error>;

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn connect(header: &'static str, value: String) -> Result<Client, Wrong> {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert(header, value.parse()?);
    let http = reqwest::Client::builder().default_headers(headers).build()?;
    Ok(Client::new_with_client(&env("BASE_URL"), http))
}

async fn step(name: &str, action: impl Future<Output = Result<(), Wrong>>) {
    match action.await {
        Ok(()) => println!("ok {name}"),
        Err(error) => println!("no {name}: {}", error.to_string().replace('\n', " ")),
    }
}

fn same<T: PartialEq + Debug>(found: T, wanted: T) -> Result<(), Wrong> {
    if found == wanted { Ok(()) } else { Err(format!("{found:?} is not {wanted:?}").into()) }
}

fn named(name: &str) -> Result<NewCustomer, Wrong> {
    Ok(NewCustomer {
        name: name.try_into()?,
        phone: "+255713".try_into()?,
        email: None,
        location: None,
        extra: Default::default(),
    })
}

fn order_of(amount: f64) -> Result<NewOrder, Wrong> {
    Ok(serde_json::from_value(
        serde_json::json!({ "customer": "Neema", "service": "Hem", "amount": amount }),
    )?)
}

fn refused<T>(
    answer: Result<T, Error<shop::types::ErrorEnvelope>>,
    status: u16,
    code: &str,
) -> Result<(), Wrong> {
    match answer {
        Err(Error::ErrorResponse(found)) => {
            same(found.status().as_u16(), status)?;
            same(found.error.code.as_str(), code)
        }
        _ => Err("not refused".into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Wrong> {
    let shop = connect("authorization", format!("Bearer {}", env("TOKEN")))?;
    let office = connect("x-service-admin-key", env("ADMIN_KEY"))?;
    let mut customer = String::new();
    step("create", async {
        let made = shop.create_customer(&named("Neema")?).await?.into_inner().data;
        customer = made.id;
        same(made.owner_sub, env("ACCOUNT"))
    })
    .await;
    step("list", async {
        let page = shop.list_customers(None, NonZeroU64::new(5), None, None).await?.into_inner();
        same((page.meta.pagination.total, page.data[0].name.as_str()), (1, "Neema"))
    })
    .await;
    step("search", async {
        for (text, wanted) in [("neema", 1), ("nobody", 0)] {
            same(shop.list_customers(None, None, Some(text), None).await?.data.len(), wanted)?;
        }
        Ok(())
    })
    .await;
    step("read", async {
        same(shop.read_customer(&customer).await?.data.phone.as_str(), "+255713")
    })
    .await;
    step("change", async {
        let changes: CustomerChanges =
            serde_json::from_value(serde_json::json!({ "location": "Mikocheni" }))?;
        let changed = shop.update_customer(&customer, &changes).await?.into_inner().data;
        same((changed.location.as_deref(), changed.name.as_str()), (Some("Mikocheni"), "Neema"))
    })
    .await;
    orders(&shop).await;
    step("more properties", async {
        same(shop.list_team_members(None, None, None, None).await?.data[0].name.as_str(), "Hamisi")
    })
    .await;
    step("delete", async {
        let id = shop.create_customer(&named("Juma")?).await?.into_inner().data.id;
        let gone = shop.delete_customer(&id).await?.into_inner().data;
        same((gone.id, gone.deleted), (id, true))
    })
    .await;
    step("404", async { refused(shop.read_customer("CUS-9999").await, 404, "NOT_FOUND") }).await;
    step("422", async {
        refused(shop.create_order(&order_of(0.0)?).await, 422, "VALIDATION_FAILED")
    })
    .await;
    step("operator", operator(&office)).await;
    let mut marked = named("Marked")?;
    marked.extra.insert("note".into(), "x".into());
    let id = shop.create_customer(&marked).await?.into_inner().data.id;
    let is_kept = shop.read_customer(&id).await?.data.extra.contains_key("note");
    println!("fact unknown {}", if is_kept { "kept" } else { "lost" });
    let other = connect("authorization", format!("Bearer {}", env("FOREIGN_TOKEN")))?;
    match other.list_customers(None, None, None, None).await {
        Ok(_) => println!("fact foreign read"),
        Err(_) => println!("fact foreign fails"),
    }
    Ok(())
}

async fn orders(shop: &Client) {
    let mut order = String::new();
    step("order", async {
        let mut body = order_of(33333333.0)?;
        body.custom_fields = Some(serde_json::Map::from_iter([("waist_cm".into(), 74.into())]));
        let made = shop.create_order(&body).await?.into_inner().data;
        order = made.id;
        let found = (made.amount, made.status.as_str(), made.paid, made.currency.as_str());
        same(found, (33333333.0, "New", 0.0, "TZS"))
    })
    .await;
    step("large amount", async {
        let mut body = order_of(1e15)?;
        body.paid = Some(1.0);
        same(shop.create_order(&body).await?.data.amount, 1e15)
    })
    .await;
    step("status alone", async {
        let changes: OrderChanges = serde_json::from_value(serde_json::json!({ "status": "Ready" }))?;
        let changed = shop.update_order(&order, &changes).await?.into_inner().data;
        same(changed.status.as_str(), "Ready")?;
        same(changed.custom_fields.map(|fields| fields["waist_cm"].clone()), Some(74.into()))
    })
    .await;
    step("payments", async {
        let rows = shop.list_payments().await?.into_inner().data;
        same((rows[0].due, rows[1].due), (999999999999999.0, 33333333.0))
    })
    .await;
}

async fn operator(office: &Client) -> Result<(), Wrong> {
    let account = env("ACCOUNT");
    same(office.admin_read_account(&account).await?.data.resources.orders, 2)?;
    let made = office.admin_create_customer(&account, &named("From the office")?).await?;
    same(made.into_inner().data.owner_sub, account.clone())?;
    let events = office.admin_list_audit_events(None, None).await?.into_inner().data;
    same((events[0].action.as_str(), events[0].owner_sub.as_str()), ("create", account.as_str()))?;
    same(office.admin_overview().await?.data.tenant_count > 0, true)?;
    same(office.admin_usage().await?.data.resources.orders.records > 1, true)?;
    same(office.admin_list_accounts(None, None, Some(&account)).await?.data.len(), 1)
}
