// Argo CD's repo server, application controller, ApplicationSet controller, plugin server, and a Redis for them, in one
// program. Upstream's own main builds the API server, its user interface and the command line in as well, of which
// these tests need nothing: without them this builds sooner. As upstream, the name by which the program is called chooses.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/alicebob/miniredis/v2"
	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	plugin "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/argoproj/argo-cd/v3/util/log"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

var programs = map[string]func() *cobra.Command{
	"argocd-application-controller":    controller.NewCommand,
	"argocd-applicationset-controller": applicationset.NewCommand,
	"argocd-cmp-server":                plugin.NewCommand,
	"argocd-repo-server":               reposerver.NewCommand,
	"redis":                            redis,
}

// redis keeps Argo CD's cache in memory and serves it at its one argument, host:port, until it is told to stop.
func redis() *cobra.Command {
	return &cobra.Command{
		Use:  "redis ADDRESS",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			server := miniredis.NewMiniRedis()
			if err := server.StartAddr(args[0]); err != nil {
				return err
			}
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
			<-stop
			server.Close()
			return nil
		},
	}
}

func main() {
	klog.SetLogger(log.NewLogrusLogger(log.NewWithCurrentConfig()))
	name := filepath.Base(os.Args[0])
	program, known := programs[name]
	if !known {
		fmt.Fprintf(os.Stderr, "no program of this binary has this name: %q\n", name)
		os.Exit(2)
	}
	if err := program().Execute(); err != nil {
		os.Exit(1)
	}
}
