// The fourteen steps with the C# client of openapi-generator (HttpClient and Newtonsoft.Json).

using System;
using System.Collections.Generic;
using System.Linq;
using ShopApi.Api;
using ShopApi.Client;
using ShopApi.Model;

public static class Shop
{
    static readonly string Account = Environment.GetEnvironmentVariable("ACCOUNT");
    static readonly CustomersApi Customers = new CustomersApi(SignedIn("TOKEN"));
    static readonly OrdersApi Orders = new OrdersApi(SignedIn("TOKEN"));
    static string customer;
    static string order;

    static Configuration SignedIn(string token)
    {
        var configuration = new Configuration
        {
            BasePath = Environment.GetEnvironmentVariable("BASE_URL"),
            AccessToken = Environment.GetEnvironmentVariable(token),
        };
        configuration.AddApiKey("X-Service-Admin-Key", Environment.GetEnvironmentVariable("ADMIN_KEY"));
        return configuration;
    }

    static void Step(string name, Action action)
    {
        try
        {
            action();
            Console.WriteLine("ok " + name);
        }
        catch (Exception error)
        {
            Console.WriteLine("no " + name + ": " + error.Message.Replace('\n', ' '));
        }
    }

    static void Same(object found, object wanted)
    {
        if (!Equals(found, wanted)) throw new Exception(found + " is not " + wanted);
    }

    static void Refused(int status, string code, Action action)
    {
        try
        {
            action();
        }
        catch (ApiException error)
        {
            Same(error.ErrorCode, status);
            Same(((string)error.ErrorContent).Contains("\"code\":\"" + code + "\""), true);
            return;
        }
        throw new Exception("not refused");
    }

    // With conditionalSerialization only what is set by name is sent: the constructor asks for
    // the required properties, and does not send them.
    static NewCustomer Named(string name) =>
        new NewCustomer(name, "+255713") { Name = name, Phone = "+255713" };

    static NewOrder Of(double amount) =>
        new NewOrder("Neema", "Hem", amount) { Customer = "Neema", Service = "Hem", Amount = amount };

    public static void Main()
    {
        CustomerSteps();
        OrderSteps();
        Step("more properties", () =>
        {
            var team = new TeamApi(SignedIn("TOKEN")).ListTeamMembers().Data;
            Same(team[0].Name, "Hamisi");
            Same(team[0].AdditionalProperties["role"].ToString(), "Tailor");
        });
        Step("delete", () =>
        {
            var id = Customers.CreateCustomer(Named("Juma")).Data.Id;
            var gone = Customers.DeleteCustomer(id).Data;
            Same((gone.Id, gone.Deleted), (id, true));
        });
        Step("404", () => Refused(404, "NOT_FOUND", () => Customers.ReadCustomer("CUS-9999")));
        Step("422", () => Refused(422, "VALIDATION_FAILED", () => Orders.CreateOrder(Of(-1))));
        Step("operator", Operator);
        Fact("unknown", "kept", () =>
        {
            var body = Named("Marked");
            body.AdditionalProperties["note"] = "x";
            var made = Customers.CreateCustomer(body).Data.Id;
            Same(Customers.ReadCustomer(made).Data.AdditionalProperties["note"].ToString(), "x");
        });
        var other = new CustomersApi(SignedIn("FOREIGN_TOKEN"));
        Fact("foreign", "read", () => Same(other.ListCustomers().Data.Count, 2));
    }

    static void Fact(string name, string good, Action action)
    {
        try
        {
            action();
            Console.WriteLine("fact " + name + " " + good);
        }
        catch (Exception error)
        {
            Console.WriteLine("fact " + name + " fails: " + error.GetType().Name);
        }
    }

    static void CustomerSteps()
    {
        Step("create", () =>
        {
            var made = Customers.CreateCustomer(Named("Neema")).Data;
            customer = made.Id;
            Same(made.OwnerSub, Account);
        });
        Step("list", () =>
        {
            var answer = Customers.ListCustomers(pageSize: 5);
            Same(answer.Meta.Pagination.Total, 1L);
            Same(answer.Data[0].Name, "Neema");
        });
        Step("search", () =>
        {
            Same(Customers.ListCustomers(q: "neema").Data.Count, 1);
            Same(Customers.ListCustomers(q: "nobody").Data.Count, 0);
        });
        Step("read", () => Same(Customers.ReadCustomer(customer).Data.Phone, "+255713"));
        Step("change", () =>
        {
            var changes = new CustomerChanges { Location = "Mikocheni" };
            var changed = Customers.UpdateCustomer(customer, changes).Data;
            Same((changed.Location, changed.Name), ("Mikocheni", "Neema"));
        });
    }

    static void OrderSteps()
    {
        Step("order", () =>
        {
            var body = Of(33333333);
            body.CustomFields = new Dictionary<string, object> { ["waist_cm"] = 74 };
            body.Method = "Cash";
            var made = Orders.CreateOrder(body).Data;
            order = made.Id;
            Same(made.Amount, 33333333.0);
            Same((made.Status, made.Paid, made.Currency), ("New", 0.0, "TZS"));
        });
        Step("large amount", () =>
        {
            var body = Of(1e15);
            body.Paid = 1;
            Same(Orders.CreateOrder(body).Data.Amount, 1e15);
        });
        Step("status alone", () =>
        {
            var changed = Orders.UpdateOrder(order, new OrderChanges { Status = "Ready", Paid = 500 }).Data;
            Same(changed.Status, "Ready");
            Same(Convert.ToInt32(changed.CustomFields["waist_cm"]), 74);
            Same(changed.Method, "Cash");
            // A zero that is set by name is not sent.
            var unpaid = new OrderChanges();
            unpaid.AdditionalProperties["paid"] = 0;
            Same(Orders.UpdateOrder(order, unpaid).Data.Paid, 0.0);
        });
        Step("payments", () =>
        {
            var rows = new PaymentsApi(SignedIn("TOKEN")).ListPayments().Data;
            Same((rows[0].Due, rows[1].Due), (999999999999999.0, 33333333.0));
        });
    }

    static void Operator()
    {
        var views = new AdminViewsApi(SignedIn("TOKEN"));
        Same(views.AdminReadAccount(Account).Data.Resources.Orders, 2L);
        var records = new AdminRecordsApi(SignedIn("TOKEN"));
        Same(records.AdminCreateCustomer(Account, Named("From the office")).Data.OwnerSub, Account);
        var latest = views.AdminListAuditEvents().Data[0];
        Same((latest.Action, latest.OwnerSub), ("create", Account));
        Same(views.AdminOverview().Data.TenantCount > 0, true);
        Same(views.AdminUsage().Data.Resources.Orders.Records > 1, true);
        Same(views.AdminListAccounts(q: Account).Data.Count, 1);
    }
}
