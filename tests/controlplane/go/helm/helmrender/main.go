// Command helmrender renders a chart as Helm does at installation: helmrender CHART RELEASE NAMESPACE.
//
// It reads values from standard input, as JSON, and writes all objects to standard output, as one stream of YAML.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

func main() {
	if err := render(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder, release, namespace string) error {
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	values := chartutil.Values{}
	if err := json.NewDecoder(os.Stdin).Decode(&values); err != nil {
		return err
	}
	if err := chartutil.ProcessDependencies(chart, values); err != nil {
		return err
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, IsInstall: true}
	tree, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return err
	}
	texts, err := engine.Render(chart, tree)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, err := fmt.Printf("---\n# %s\n%s\n", name, texts[name]); err != nil {
			return err
		}
	}
	return nil
}
