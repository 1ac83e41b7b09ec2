/**
 * Containers and clusters: a container can be given the whole machine, a cluster is other people's.
 */
import { asks, extreme, grave, type Row, sensitive } from "../program.ts";

const DAEMON = "talks to the container daemon";
const REMOVES = "removes containers, images or volumes";
const MACHINE = extreme("gives a container more than the workspace");

const RUN = {
  "--privileged --cap-add --device --pid --ipc --uts --userns --security-opt --volumes-from --mount --cgroupns --cgroup-parent --runtime --gpus":
    MACHINE,
  "-v --volume": "volume",
  "--net --network": "text",
  "--env-file": "read",
  "-e --env --name -w --workdir -p --publish -u --user --entrypoint -l --label --platform --hostname -m --memory --cpus":
    "text",
} as const;

const COMPOSE: readonly Row[] = [
  ...asks(
    `
      up start restart stop build pull ps logs config images ls top events port version create
      pause unpause wait watch
    `,
    DAEMON,
    {
      executes: ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
    },
  ),
  ...asks("run exec", "runs a command in a container", {
    executes: ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
    options: { ...RUN, "-T -it": sensitive("runs a command in a container") },
  }),
  ...asks("down", "ends containers", { options: { "-v --volumes --rmi": extreme(REMOVES) } }),
  ...grave("rm kill push publish", REMOVES),
];

/** Rows of the program table. */
export const CONTAINERS: readonly Row[] = [
  ...asks("docker podman nerdctl", DAEMON, {
    options: {
      "-H --host -c --context --config --tlscacert": extreme("acts on another machine"),
      "--log-level -l": "text",
    },
    subcommands: [
      ...asks(
        "ps images logs inspect version info stats top port diff history search events ls wait",
        DAEMON,
      ),
      ...asks("build buildx builder", "builds an image", {
        executes: ["Dockerfile"],
        options: {
          "-f --file": "read",
          "--allow --security-opt --secret --ssh": MACHINE,
          "--push": extreme("publishes an image"),
          "-o --output --iidfile": "write",
          "-t --tag --build-arg --target --platform": "text",
        },
        subcommands: [...grave("prune rm", REMOVES)],
      }),
      ...asks(
        `
          pull start stop restart pause unpause create rename tag commit update attach
          export save load import
        `,
        DAEMON,
        {
          options: { ...RUN, "-o --output -i --input": "write" },
        },
      ),
      ...asks("run", "runs a container", { options: RUN }),
      ...asks("exec", "runs a command in a container", {
        wrapper: {
          flags: "-i -t -it -ti --interactive --tty -d --detach",
          valued: "-w --workdir -u --user -e --env --env-file",
          skip: 1,
        },
      }),
      ...asks("cp", DAEMON, { operands: "write" }),
      ...grave(
        "rm rmi kill prune push login logout swarm service stack node secret plugin trust context",
        REMOVES,
      ),
      ...asks("compose", DAEMON, {
        options: { "-f --file --env-file": "read", "-p --project-name --profile": "text" },
        subcommands: COMPOSE,
      }),
      ...asks("container image volume network system manifest", DAEMON, {
        subcommands: [
          ...asks(
            `
              ls list ps inspect logs df info top stats port history create pull build
              tag start stop events
            `,
            DAEMON,
          ),
          ...grave("rm remove prune push kill disconnect connect run exec", REMOVES),
        ],
      }),
    ],
  }),
  ...asks("docker-compose podman-compose", DAEMON, {
    options: { "-f --file --env-file": "read", "-p --project-name --profile": "text" },
    subcommands: COMPOSE,
  }),
  ...grave(
    "ctr crictl runc crun lxc lxd incus buildah skopeo machinectl",
    "acts on containers of the machine",
  ),
  ...asks("kubectl k oc k3s", "network: talks to a cluster", {
    options: {
      "--kubeconfig --server -s --token --as --as-group --insecure-skip-tls-verify": extreme(
        "acts on another cluster or as another user",
      ),
      "-n --namespace --context --cluster --user": "text",
    },
    subcommands: [
      ...asks(
        `
          get describe logs top explain version api-resources api-versions cluster-info
          diff events wait kustomize
        `,
        "network: talks to a cluster",
        {
          options: {
            "-o --output -l --selector --field-selector -c --container --since --tail": "text",
            "-f --filename -k": "read",
            "secret secrets": extreme("reads secrets of a cluster"),
          },
        },
      ),
      ...grave(
        `
          delete drain cordon uncordon taint apply create replace patch edit scale rollout
          set label annotate expose run exec cp attach port-forward proxy debug auth
          certificate autoscale config adm
        `,
        "changes a cluster",
      ),
    ],
  }),
  ...asks("helm helmfile kustomize", "network: talks to a cluster", {
    subcommands: [
      ...asks(
        `
          list ls status template lint show get search history version env dependency repo
          build verify
        `,
        "reads charts or a cluster",
      ),
      ...grave(
        "install upgrade uninstall delete rollback push plugin apply sync destroy registry",
        "changes a cluster",
      ),
    ],
  }),
  ...grave("kubeadm minikube kind k3d eksctl istioctl argocd flux velero", "changes a cluster"),
  ...asks("minikube kind k3d argocd flux istioctl", "network: talks to a cluster", {
    subcommands: [
      ...asks("status version get list ip profile logs", "network: talks to a cluster"),
      ...grave(
        "delete start stop create ssh apply install uninstall app sync reconcile",
        "changes a cluster",
      ),
    ],
  }),
];
