// The fourteen steps with the client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"

	"example/client"
)

var (
	background = context.Background()
	account    = os.Getenv("ACCOUNT")
	customerId string
	orderId    string
)

func connect(header, value string) *client.ClientWithResponses {
	sign := func(_ context.Context, request *http.Request) error {
		request.Header.Set(header, value)
		return nil
	}
	made, err := client.NewClientWithResponses(os.Getenv("BASE_URL"), client.WithRequestEditorFn(sign))
	if err != nil {
		panic(err)
	}
	return made
}

var (
	shop   = connect("Authorization", "Bearer "+os.Getenv("TOKEN"))
	office = connect("X-Service-Admin-Key", os.Getenv("ADMIN_KEY"))
)

func step(name string, action func()) {
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Printf("no %s: %s\n", name, strings.ReplaceAll(fmt.Sprint(problem), "\n", " "))
		}
	}()
	action()
	fmt.Printf("ok %s\n", name)
}

func same(found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		panic(fmt.Sprintf("%v is not %v", found, wanted))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func ptr[T any](value T) *T { return &value }

func main() {
	step("create", func() {
		body := client.NewCustomer{Name: "Neema", Phone: "+255713"}
		made := must(shop.CreateCustomerWithResponse(background, body)).JSON201.Data
		customerId = made.Id
		same(made.OwnerSub, account)
	})
	step("list", func() {
		query := client.ListCustomersParams{PageSize: ptr(int64(5))}
		answer := must(shop.ListCustomersWithResponse(background, &query)).JSON200
		same([]any{answer.Meta.Pagination.Total, answer.Data[0].Name}, []any{int64(1), "Neema"})
	})
	step("search", func() {
		for text, wanted := range map[string]int{"neema": 1, "nobody": 0} {
			query := client.ListCustomersParams{Q: ptr(text)}
			same(len(must(shop.ListCustomersWithResponse(background, &query)).JSON200.Data), wanted)
		}
	})
	step("read", func() {
		same(must(shop.ReadCustomerWithResponse(background, customerId)).JSON200.Data.Phone, "+255713")
	})
	step("change", func() {
		body := client.CustomerChanges{Location: ptr("Mikocheni")}
		changed := must(shop.UpdateCustomerWithResponse(background, customerId, body)).JSON200.Data
		same([]string{*changed.Location, changed.Name}, []string{"Mikocheni", "Neema"})
	})
	orders()
	step("payments", func() {
		rows := must(shop.ListPaymentsWithResponse(background)).JSON200.Data
		same([]float64{rows[0].Due, rows[1].Due}, []float64{999999999999999, 33333333})
	})
	step("more properties", func() {
		same(must(shop.ListTeamMembersWithResponse(background, nil)).JSON200.Data[0].Name, "Hamisi")
	})
	step("delete", func() {
		body := client.NewCustomer{Name: "Juma", Phone: "1"}
		id := must(shop.CreateCustomerWithResponse(background, body)).JSON201.Data.Id
		gone := must(shop.DeleteCustomerWithResponse(background, id)).JSON200.Data
		same([]any{gone.Id, gone.Deleted}, []any{id, true})
	})
	step("404", func() {
		answer := must(shop.ReadCustomerWithResponse(background, "CUS-9999"))
		same(answer.JSON404.Error.Code, "NOT_FOUND")
	})
	step("422", func() {
		body := client.NewOrder{Customer: "Neema", Service: "Hem", Amount: 0}
		answer := must(shop.CreateOrderWithResponse(background, body))
		same(answer.JSON422.Error.Code, "VALIDATION_FAILED")
	})
	step("operator", operator)
}

func orders() {
	step("order", func() {
		body := client.NewOrder{
			Customer: "Neema", Service: "Hem", Amount: 33333333,
			CustomFields: &map[string]any{"waist_cm": 74},
		}
		made := must(shop.CreateOrderWithResponse(background, body)).JSON201.Data
		orderId = made.Id
		same([]any{made.Amount, made.Status, made.Paid, made.Currency}, []any{33333333.0, "New", 0.0, "TZS"})
	})
	step("large amount", func() {
		body := client.NewOrder{Customer: "Neema", Service: "Hem", Amount: 1e15, Paid: ptr(1.0)}
		same(must(shop.CreateOrderWithResponse(background, body)).JSON201.Data.Amount, 1e15)
	})
	step("status alone", func() {
		body := client.OrderChanges{Status: ptr("Ready")}
		changed := must(shop.UpdateOrderWithResponse(background, orderId, body)).JSON200.Data
		same([]any{changed.Status, *changed.CustomFields}, []any{"Ready", map[string]any{"waist_cm": 74.0}})
	})
}

func operator() {
	view := must(office.AdminReadAccountWithResponse(background, account)).JSON200.Data
	same(view.Resources.Orders, int64(2))
	body := client.NewCustomer{Name: "From the office", Phone: "1"}
	made := must(office.AdminCreateCustomerWithResponse(background, account, body)).JSON201.Data
	same(made.OwnerSub, account)
	events := must(office.AdminListAuditEventsWithResponse(background, nil)).JSON200.Data
	same([]string{events[0].Action, events[0].OwnerSub}, []string{"create", account})
	same(must(office.AdminOverviewWithResponse(background)).JSON200.Data.TenantCount > 0, true)
	same(must(office.AdminUsageWithResponse(background)).JSON200.Data.Resources.Orders.Records > 1, true)
	query := client.AdminListAccountsParams{Q: &account}
	same(len(must(office.AdminListAccountsWithResponse(background, &query)).JSON200.Data), 1)
}
