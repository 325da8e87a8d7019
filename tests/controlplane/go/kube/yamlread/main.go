// Command yamlread shows how Kubernetes' own YAML reader understands a text.
//
// It reads a JSON array of YAML texts from standard input and writes, on standard output, a JSON array with one entry
// for each text: {"value": ...} with what sigs.k8s.io/yaml read, or {"error": "..."} with its complaint.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type reading struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func read(text string) reading {
	value, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return reading{Error: err.Error()}
	}
	return reading{Value: value}
}

func run() error {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		return fmt.Errorf("standard input is not a JSON array of strings: %w", err)
	}
	readings := make([]reading, 0, len(texts))
	for _, text := range texts {
		readings = append(readings, read(text))
	}
	return json.NewEncoder(os.Stdout).Encode(readings)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "yamlread:", err)
		os.Exit(1)
	}
}
