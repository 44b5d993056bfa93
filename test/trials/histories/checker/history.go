// A recorded history: one operation of a client per line, as JSON.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
)

// Fields are a record's properties, each as compact JSON.
type Fields map[string]string

func (f *Fields) UnmarshalJSON(data []byte) error {
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*f = Fields{}
	for name, value := range raw {
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil {
			return err
		}
		(*f)[name] = compact.String()
	}
	return nil
}

// Canonical text: equal for equal records.
func (f Fields) text() string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	sort.Strings(names)
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "%s=%s;", name, f[name])
	}
	return text.String()
}

// Patched returns the record after a shallow merge, and the names whose value differs.
func (f Fields) patched(patch Fields) (Fields, []string) {
	merged := Fields{}
	for name, value := range f {
		merged[name] = value
	}
	changed := []string{}
	for name, value := range patch {
		if merged[name] != value {
			changed = append(changed, name)
		}
		merged[name] = value
	}
	sort.Strings(changed)
	return merged, changed
}

type Event struct {
	Action  string   `json:"action"`
	Coll    string   `json:"coll"`
	Id      string   `json:"id"`
	Who     string   `json:"who"`
	Changed []string `json:"changed"`
}

func (e Event) text() string {
	names := append([]string{}, e.Changed...)
	sort.Strings(names)
	return e.Action + "[" + strings.Join(names, ",") + "]"
}

type Payment struct {
	OrderId string  `json:"order_id"`
	Amount  float64 `json:"amount"`
	Paid    float64 `json:"paid"`
	Due     float64 `json:"due"`
	Status  string  `json:"status"`
}

// Totals are those on the operator's page of an account.
type Totals struct {
	Records int            `json:"records"`
	Counts  map[string]int `json:"counts"`
}

// Op is one operation: what was asked, and what was answered.
type Op struct {
	Number   int    `json:"number"`
	Client   int    `json:"client"`
	Call     int64  `json:"call"`
	Return   int64  `json:"return"`
	Kind     string `json:"kind"`
	Who      string `json:"who"`
	Operator bool   `json:"operator"`
	Coll     string `json:"coll"`
	Id       string `json:"id"`
	Body     Fields `json:"body"`
	Q        string `json:"q"`
	Status   string `json:"status"`
	Page     int    `json:"page"`
	Size     int    `json:"size"`
	// Code is the answer's status; 0 if it is unknown whether the write was made.
	Code     int       `json:"code"`
	Record   Fields    `json:"record"`
	Rows     []Fields  `json:"rows"`
	Total    int       `json:"total"`
	Payments []Payment `json:"payments"`
	Totals   *Totals   `json:"totals"`
	Events   []Event   `json:"events"`
	// Whole: the events are all that there are, not the newest page.
	Whole bool `json:"whole"`
	// A create without an answer whose record was seen.
	wasMade bool
	// Of Postgres: lists are in the order of the ids' numbers.
	byNumber bool
}

// Whether it is unknown if a write was made.
func (op *Op) unclear() bool { return op.Code == 0 && !op.wasMade }
func (op *Op) write() bool {
	return op.Kind == "create" || op.Kind == "patch" || op.Kind == "delete"
}

// Header says where the history comes from.
type Header struct {
	Host  string `json:"host"`
	Audit bool   `json:"audit"`
}

type History struct {
	Header
	Ops []*Op
}

func readHistory(path string) (*History, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	history := &History{}
	for first := true; lines.Scan(); first = false {
		if first {
			if err := json.Unmarshal(lines.Bytes(), &history.Header); err != nil {
				return nil, err
			}
			continue
		}
		op := &Op{}
		if err := json.Unmarshal(lines.Bytes(), op); err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		op.byNumber = history.Host == "postgres"
		history.Ops = append(history.Ops, op)
	}
	history.settleUnclearCreates()
	return history, lines.Err()
}

// A create without an answer has an id all the same, where it was made: the one
// of the record that has its mark. Everything is read at the end, and no client
// deletes a record whose id was never shown: a mark that no client saw was not made.
// Without this each unclear create doubles the states that the checker looks at.
func (h *History) settleUnclearCreates() {
	ids := map[string]string{}
	see := func(record Fields) {
		if mark := record["mark"]; mark != "" {
			ids[mark], _ = strconv.Unquote(record["id"])
		}
	}
	for _, op := range h.Ops {
		see(op.Record)
		for _, row := range op.Rows {
			see(row)
		}
	}
	known := h.Ops[:0]
	for _, op := range h.Ops {
		if op.Kind == "create" && op.unclear() {
			op.Id = ids[op.Body["mark"]]
			op.wasMade = op.Id != ""
			if !op.wasMade {
				continue
			}
		}
		known = append(known, op)
	}
	h.Ops = known
}

// Made gives the record that a create makes, as the contract says.
func (op *Op) made() Fields {
	if op.Record != nil {
		return op.Record
	}
	made := Fields{}
	if op.Coll == "orders" {
		made = Fields{"status": `"New"`, "paid": "0", "currency": `"TZS"`}
	}
	for name, value := range op.Body {
		made[name] = value
	}
	made["id"], made["owner_sub"] = strconv.Quote(op.Id), strconv.Quote(op.Who)
	return made
}

// Keeps says whether the made record has what was sent.
func (op *Op) keepsBody() bool {
	for name, value := range op.Body {
		if op.Record[name] != value {
			return false
		}
	}
	return op.Record["owner_sub"] == strconv.Quote(op.Who)
}

func (op *Op) names() []string {
	names := []string{}
	for name := range op.Body {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func sequence(id string) int {
	number, err := strconv.Atoi(id[strings.LastIndex(id, "-")+1:])
	if err != nil {
		return math.MaxInt32
	}
	return number
}

// Describe gives the operation as a line for people.
func (op *Op) describe() string {
	who := op.Who
	if op.Operator {
		who = "operator for " + who
	}
	asked := strings.TrimSpace(strings.Join([]string{op.Kind, op.Coll, op.Id}, " "))
	if len(op.Body) > 0 {
		asked += " " + op.Body.text()
	}
	if op.Kind == "list" {
		asked += fmt.Sprintf(" q=%q status=%q page=%d page_size=%d", op.Q, op.Status, op.Page, op.Size)
	}
	answer := strconv.Itoa(op.Code)
	if op.unclear() {
		answer = "no answer that says whether it was made"
	}
	switch {
	case op.Record != nil:
		answer += " " + op.Record.text()
	case op.Kind == "list":
		ids := []string{}
		for _, row := range op.Rows {
			ids = append(ids, row.text())
		}
		answer += fmt.Sprintf(" total=%d [%s]", op.Total, strings.Join(ids, " | "))
	case op.Kind == "payments":
		answer += fmt.Sprintf(" %+v", op.Payments)
	case op.Totals != nil:
		answer += fmt.Sprintf(" %+v", *op.Totals)
	case op.Kind == "audit":
		answer += fmt.Sprintf(" %+v", op.Events)
	}
	return fmt.Sprintf("%10.3f to %10.3f ms  client %d, %s: %s -> %s",
		float64(op.Call)/1e6, float64(op.Return)/1e6, op.Client, who, asked, answer)
}
