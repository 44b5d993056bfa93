// Checks a recorded history against a model: checker -model record history.jsonl
// One JSON object on standard output: how many parts, the verdict, and of a
// violation the smallest history that shows it.

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

type verdict struct {
	Model      string   `json:"model"`
	Parts      int      `json:"parts"`
	Operations int      `json:"operations"`
	Legal      int      `json:"legal"`
	Illegal    int      `json:"illegal"`
	Undecided  int      `json:"undecided"`
	Part       string   `json:"part,omitempty"`
	Smallest   []string `json:"smallest,omitempty"`
}

func main() {
	model := flag.String("model", "record", "record, account or ids")
	seconds := flag.Int("seconds", 60, "how long one part may take")
	small := flag.Bool("smallest", true, "look for the smallest history that shows a violation")
	flag.Parse()
	history, err := readHistory(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	result := history.check(*model, time.Duration(*seconds)*time.Second, *small)
	json.NewEncoder(os.Stdout).Encode(result)
}

func (h *History) divided(name string) (porcupine.Model, map[string][]*Op) {
	switch name {
	case "record":
		return recordModel(), h.records()
	case "account":
		return accountModel(), h.accounts()
	case "ids":
		return idsModel(), h.idsParts()
	}
	fmt.Fprintf(os.Stderr, "no model %q\n", name)
	os.Exit(2)
	panic("unreachable")
}

func (h *History) check(name string, limit time.Duration, shrinks bool) verdict {
	model, parts := h.divided(name)
	result := verdict{Model: name, Parts: len(parts)}
	keys := []string{}
	for key := range parts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		ops := parts[key]
		result.Operations += len(ops)
		switch checkPart(model, ops, limit) {
		case porcupine.Ok:
			result.Legal++
		case porcupine.Unknown:
			result.Undecided++
		case porcupine.Illegal:
			result.Illegal++
			if !shrinks {
				continue
			}
			small := smallest(model, ops, limit, name == "ids")
			if result.Smallest == nil || len(small) < len(result.Smallest) {
				result.Part, result.Smallest = key, described(small)
			}
		}
	}
	return result
}

func described(ops []*Op) []string {
	sort.SliceStable(ops, func(i, j int) bool { return ops[i].Call < ops[j].Call })
	lines := []string{}
	for _, op := range ops {
		lines = append(lines, op.describe())
	}
	return lines
}
