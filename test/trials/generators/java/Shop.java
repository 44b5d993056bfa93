// The fourteen steps with the Java client of openapi-generator (okhttp and gson).

import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AdminRecordsApi;
import org.openapitools.client.api.AdminViewsApi;
import org.openapitools.client.api.CustomersApi;
import org.openapitools.client.api.OrdersApi;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.api.TeamApi;
import org.openapitools.client.model.CustomerChanges;
import org.openapitools.client.model.ErrorDetail;
import org.openapitools.client.model.NewCustomer;
import org.openapitools.client.model.NewOrder;
import org.openapitools.client.model.Order;
import org.openapitools.client.model.OrderChanges;

public class Shop {
  interface Action {
    void run() throws Exception;
  }

  static final String ACCOUNT = System.getenv("ACCOUNT");
  static final ApiClient SHOP = connect(System.getenv("TOKEN"));
  static final CustomersApi CUSTOMERS = new CustomersApi(SHOP);
  static final OrdersApi ORDERS = new OrdersApi(SHOP);
  static String customer;
  static String order;

  static ApiClient connect(String token) {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("BASE_URL"));
    client.setBearerToken(token);
    client.setApiKey(System.getenv("ADMIN_KEY"));
    return client;
  }

  static void step(String name, Action action) {
    try {
      action.run();
      System.out.println("ok " + name);
    } catch (Exception | AssertionError error) {
      System.out.println("no " + name + ": " + String.valueOf(error).replaceAll("\\s+", " "));
    }
  }

  static void same(Object found, Object wanted) {
    if (!String.valueOf(found).equals(String.valueOf(wanted))) {
      throw new AssertionError(found + " is not " + wanted);
    }
  }

  static void refused(int status, String code, Action action) throws Exception {
    try {
      action.run();
    } catch (ApiException error) {
      same(error.getCode(), status);
      same(error.getResponseBody().contains("\"code\":\"" + code + "\""), true);
      return;
    }
    throw new AssertionError("not refused");
  }

  static NewCustomer named(String name) {
    return new NewCustomer().name(name).phone("+255713");
  }

  static NewOrder of(double amount) {
    return new NewOrder().customer("Neema").service("Hem").amount(amount);
  }

  public static void main(String[] arguments) {
    customers();
    orders();
    step("more properties", () -> {
      var team = new TeamApi(SHOP).listTeamMembers(null, null, null, null).getData();
      same(team.get(0).getName(), "Hamisi");
      // An answer of tomorrow: a property that the document of today does not have.
      same(ErrorDetail.fromJson("{\"code\":\"A\",\"message\":\"b\",\"more\":1}").getCode(), "A");
    });
    step("delete", () -> {
      String id = CUSTOMERS.createCustomer(named("Juma")).getData().getId();
      var gone = CUSTOMERS.deleteCustomer(id).getData();
      same(List.of(gone.getId(), gone.getDeleted()), List.of(id, true));
    });
    step("404", () -> refused(404, "NOT_FOUND", () -> CUSTOMERS.readCustomer("CUS-9999")));
    step("422", () -> refused(422, "VALIDATION_FAILED", () -> ORDERS.createOrder(of(0))));
    step("operator", Shop::operator);
    fact("unknown", () -> {
      NewCustomer body = named("Marked");
      body.putAdditionalProperty("note", "x");
      String made = CUSTOMERS.createCustomer(body).getData().getId();
      same(CUSTOMERS.readCustomer(made).getData().getAdditionalProperty("note"), "x");
    }, "kept");
    CustomersApi other = new CustomersApi(connect(System.getenv("FOREIGN_TOKEN")));
    fact("foreign", () -> same(other.listCustomers(null, null, null, null).getData().size(), 2), "read");
    System.exit(0); // okhttp's threads would hold the process for a minute
  }

  static void fact(String name, Action action, String good) {
    try {
      action.run();
      System.out.println("fact " + name + " " + good);
    } catch (Exception | AssertionError error) {
      System.out.println("fact " + name + " fails: " + error.getClass().getSimpleName());
    }
  }

  static void customers() {
    step("create", () -> {
      var made = CUSTOMERS.createCustomer(named("Neema")).getData();
      customer = made.getId();
      same(made.getOwnerSub(), ACCOUNT);
    });
    step("list", () -> {
      var answer = CUSTOMERS.listCustomers(null, null, null, 5L);
      same(answer.getMeta().getPagination().getTotal(), 1);
      same(answer.getData().get(0).getName(), "Neema");
    });
    step("search", () -> {
      same(CUSTOMERS.listCustomers("neema", null, null, null).getData().size(), 1);
      same(CUSTOMERS.listCustomers("nobody", null, null, null).getData().size(), 0);
    });
    step("read", () -> same(CUSTOMERS.readCustomer(customer).getData().getPhone(), "+255713"));
    step("change", () -> {
      var changes = new CustomerChanges().location("Mikocheni");
      var changed = CUSTOMERS.updateCustomer(customer, changes).getData();
      same(List.of(changed.getLocation(), changed.getName()), List.of("Mikocheni", "Neema"));
    });
  }

  static void orders() {
    step("order", () -> {
      Order made = ORDERS.createOrder(of(33333333).customFields(Map.of("waist_cm", 74))).getData();
      order = made.getId();
      same(made.getAmount() == 33333333.0, true);
      same(List.of(made.getStatus(), made.getPaid(), made.getCurrency()), "[New, 0.0, TZS]");
    });
    step("large amount", () ->
        same(ORDERS.createOrder(of(1e15).paid(1.0)).getData().getAmount() == 1e15, true));
    step("status alone", () -> {
      Order changed = ORDERS.updateOrder(order, new OrderChanges().status("Ready")).getData();
      same(changed.getStatus(), "Ready");
      same(((Number) changed.getCustomFields().get("waist_cm")).intValue(), 74);
    });
    step("payments", () -> {
      var rows = new PaymentsApi(SHOP).listPayments().getData();
      same(rows.get(0).getDue() == 999999999999999.0, true);
      same(rows.get(1).getDue() == 33333333.0, true);
    });
  }

  static void operator() throws ApiException {
    var views = new AdminViewsApi(SHOP);
    same(views.adminReadAccount(ACCOUNT).getData().getResources().getOrders(), 2);
    var made = new AdminRecordsApi(SHOP).adminCreateCustomer(ACCOUNT, named("From the office"));
    same(made.getData().getOwnerSub(), ACCOUNT);
    var event = views.adminListAuditEvents(null, null).getData().get(0);
    same(List.of(event.getAction(), event.getOwnerSub()), List.of("create", ACCOUNT));
    same(views.adminOverview().getData().getTenantCount() > 0, true);
    same(views.adminUsage().getData().getResources().getOrders().getRecords() > 1, true);
    same(views.adminListAccounts(ACCOUNT, null, null).getData().size(), 1);
  }
}
