// The steps with the Kotlin client of openapi-generator (okhttp and moshi).

import kotlin.system.exitProcess
import org.openapitools.client.apis.AdminRecordsApi
import org.openapitools.client.apis.AdminViewsApi
import org.openapitools.client.apis.CustomersApi
import org.openapitools.client.apis.OrdersApi
import org.openapitools.client.apis.PaymentsApi
import org.openapitools.client.apis.TeamApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.CustomerChanges
import org.openapitools.client.models.NewCustomer
import org.openapitools.client.models.NewOrder
import org.openapitools.client.models.OrderChanges

fun env(name: String): String = System.getenv(name)

val account = env("ACCOUNT")
val customers = CustomersApi(env("BASE_URL"))
val orders = OrdersApi(env("BASE_URL"))
var customer = ""
var order = ""

fun step(name: String, action: () -> Unit) =
    try {
        action()
        println("ok $name")
    } catch (error: Throwable) {
        println("no $name: ${error.toString().replace(Regex("\\s+"), " ").take(300)}")
    }

fun same(found: Any?, wanted: Any?) = check(found == wanted) { "$found is not $wanted" }

/** Status and code of a refusal. */
fun refusal(action: () -> Unit): List<Any?> =
    try {
        action()
        listOf("not refused")
    } catch (error: ClientException) {
        val body = (error.response as? ClientError<*>)?.body.toString()
        listOf(error.statusCode, Regex("\"code\":\"(\\w+)\"").find(body)?.groupValues?.get(1))
    }

fun named(name: String) = NewCustomer(name = name, phone = "+255713")

fun orderOf(amount: Double) = NewOrder(customer = "Neema", service = "Hem", amount = amount)

fun main() {
    ApiClient.accessToken = env("TOKEN")
    ApiClient.apiKey["X-Service-Admin-Key"] = env("ADMIN_KEY")
    customerSteps()
    orderSteps()
    step("more properties") {
        same(TeamApi(env("BASE_URL")).listTeamMembers().data[0].name, "Hamisi")
    }
    step("delete") {
        val id = customers.createCustomer(named("Juma")).data.id
        val gone = customers.deleteCustomer(id).data
        same(listOf(gone.id, gone.deleted), listOf(id, true))
    }
    step("404") { same(refusal { customers.readCustomer("CUS-9999") }, listOf(404, "NOT_FOUND")) }
    step("422") { same(refusal { orders.createOrder(orderOf(0.0)) }, listOf(422, "VALIDATION_FAILED")) }
    step("operator") { operator() }
    exitProcess(0) // okhttp's threads would hold the process for a minute
}

fun customerSteps() {
    step("create") {
        val made = customers.createCustomer(named("Neema")).data
        customer = made.id
        same(made.ownerSub, account)
    }
    step("list") {
        val answer = customers.listCustomers(pageSize = 5)
        same(listOf(answer.meta.pagination.total, answer.data[0].name), listOf(1L, "Neema"))
    }
    step("search") {
        same(customers.listCustomers(q = "neema").data.size, 1)
        same(customers.listCustomers(q = "nobody").data.size, 0)
    }
    step("read") { same(customers.readCustomer(customer).data.phone, "+255713") }
    step("change") {
        val changed = customers.updateCustomer(customer, CustomerChanges(location = "Mikocheni")).data
        same(listOf(changed.location, changed.name), listOf("Mikocheni", "Neema"))
    }
}

fun orderSteps() {
    step("order") {
        val fields = mapOf("waist_cm" to 74)
        val made = orders.createOrder(orderOf(33333333.0).copy(customFields = fields)).data
        order = made.id
        val found = listOf(made.amount, made.status, made.paid, made.currency)
        same(found, listOf(33333333.0, "New", 0.0, "TZS"))
    }
    step("large amount") {
        same(orders.createOrder(orderOf(1e15).copy(paid = 1.0)).data.amount, 1e15)
    }
    step("status alone") {
        val changed = orders.updateOrder(order, OrderChanges(status = "Ready")).data
        same(listOf(changed.status, changed.customFields), listOf("Ready", mapOf("waist_cm" to 74.0)))
    }
    step("payments") {
        val dues = PaymentsApi(env("BASE_URL")).listPayments().data.map { it.due }
        same(dues, listOf(999999999999999.0, 33333333.0))
    }
}

fun operator() {
    val views = AdminViewsApi(env("BASE_URL"))
    same(views.adminReadAccount(account).data.resources.orders, 2L)
    val made = AdminRecordsApi(env("BASE_URL")).adminCreateCustomer(account, named("From the office"))
    same(made.data.ownerSub, account)
    val event = views.adminListAuditEvents().data[0]
    same(listOf(event.action, event.ownerSub), listOf("create", account))
    check(views.adminOverview().data.tenantCount > 0)
    check(views.adminUsage().data.resources.orders.records > 1)
    same(views.adminListAccounts(q = account).data.size, 1)
}
