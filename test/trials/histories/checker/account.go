// One account: its lists with totals and pages, searches, payments and the
// operator's page of it.

package main

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"
)

type row struct {
	id     string
	fields Fields
	text   string
}

// accountState has each collection's records, oldest first; never changed in place.
type accountState map[string][]row

func (s accountState) with(coll string, rows []row) accountState {
	next := accountState{}
	for name, list := range s {
		next[name] = list
	}
	next[coll] = rows
	if len(rows) == 0 {
		delete(next, coll)
	}
	return next
}

func (s accountState) find(coll, id string) int {
	for i, row := range s[coll] {
		if row.id == id {
			return i
		}
	}
	return -1
}

func newRow(id string, fields Fields) row { return row{id, fields, fields.text()} }

func accountStep(state accountState, op *Op) []accountState {
	at := -1
	if op.Id != "" {
		at = state.find(op.Coll, op.Id)
	}
	list := state[op.Coll]
	after := state
	switch op.Kind {
	case "create":
		if at >= 0 || op.Code == 201 && !op.keepsBody() {
			return nil
		}
		place := len(list)
		// Concurrent creates over Postgres are in the order of their numbers.
		for op.byNumber && place > 0 && sequence(list[place-1].id) > sequence(op.Id) {
			place--
		}
		made := append(list[:place:place], newRow(op.Id, op.made()))
		after = state.with(op.Coll, append(made, list[place:]...))
	case "patch":
		if at >= 0 {
			rows := append([]row{}, list...)
			merged, _ := rows[at].fields.patched(op.Body)
			rows[at] = newRow(op.Id, merged)
			after = state.with(op.Coll, rows)
		}
	case "delete":
		if at >= 0 {
			after = state.with(op.Coll, append(append([]row{}, list[:at]...), list[at+1:]...))
		}
	case "list":
		return onlyIf(listFits(list, op), state)
	case "payments":
		return onlyIf(paymentsFit(state["orders"], op.Payments), state)
	case "page":
		return onlyIf(pageFits(state, op), state)
	}
	switch {
	case op.unclear():
		return []accountState{state, after}
	case op.Code == 404:
		return onlyIf(at < 0, state)
	case op.Kind == "create" || op.Kind == "delete" && at >= 0:
		return []accountState{after}
	case op.Kind == "patch" || op.Kind == "read":
		return onlyIf(at >= 0 && after[op.Coll][at].text == op.Record.text(), after)
	}
	return nil
}

func listFits(list []row, op *Op) bool {
	first, total := (op.Page-1)*op.Size, 0
	for i := len(list) - 1; i >= 0; i-- {
		status, has := list[i].fields["status"]
		if op.Status != "" && has && status != strconv.Quote(op.Status) {
			continue
		}
		if op.Q != "" && !strings.Contains(strings.ToLower(list[i].text), op.Q) {
			continue
		}
		if total >= first && total < first+op.Size {
			if total-first >= len(op.Rows) || op.Rows[total-first].text() != list[i].text {
				return false
			}
		}
		total++
	}
	return total == op.Total && len(op.Rows) == max(0, min(op.Size, total-first))
}

func paymentsFit(orders []row, payments []Payment) bool {
	if len(payments) != len(orders) {
		return false
	}
	for i, payment := range payments {
		order := orders[len(orders)-1-i]
		amount, _ := strconv.ParseFloat(order.fields["amount"], 64)
		paid, _ := strconv.ParseFloat(order.fields["paid"], 64)
		status := "pending"
		if paid >= amount {
			status = "paid"
		}
		if payment != (Payment{order.id, amount, paid, amount - paid, status}) {
			return false
		}
	}
	return true
}

func pageFits(state accountState, op *Op) bool {
	if op.Code == 404 {
		return len(state) == 0
	}
	records := 0
	for coll, rows := range state {
		records += len(rows)
		if op.Totals.Counts[coll] != len(rows) {
			return false
		}
	}
	return records > 0 && records == op.Totals.Records
}

func accountModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{accountState{}} },
		Step: func(state, input, output any) []any {
			return anyOf(accountStep(state.(accountState), input.(*Op)))
		},
		Equal: func(a, b any) bool { return sameAccount(a.(accountState), b.(accountState)) },
		Hash: func(state any) uint64 {
			var sum uint64
			for coll, rows := range state.(accountState) {
				hash := fnv.New64a()
				hash.Write([]byte(coll))
				for _, row := range rows {
					hash.Write([]byte(row.text))
				}
				sum += hash.Sum64()
			}
			return sum
		},
	}
	return model.ToModel()
}

func sameAccount(one, other accountState) bool {
	if len(one) != len(other) {
		return false
	}
	for coll, rows := range one {
		if len(rows) != len(other[coll]) {
			return false
		}
		for i, row := range rows {
			if row.text != other[coll][i].text {
				return false
			}
		}
	}
	return true
}

// AccountHistories returns each account's own history.
func (h *History) accounts() map[string][]*Op {
	parts := map[string][]*Op{}
	for _, op := range h.Ops {
		if op.write() || op.Kind == "read" || op.Kind == "list" || op.Kind == "payments" || op.Kind == "page" {
			parts[op.Who] = append(parts[op.Who], op)
		}
	}
	return parts
}
