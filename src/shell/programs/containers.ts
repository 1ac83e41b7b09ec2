/**
 * Containers and clusters: a container can be given the whole machine, a cluster is other people's.
 */
import { extreme, extremeRows, type Row, sensitive, sensitiveRows } from "../program.ts";

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
  ...sensitiveRows(
    `
      up start restart stop build pull ps logs config images ls top events port version create
      pause unpause wait watch
    `,
    DAEMON,
    {
      executes: ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
    },
  ),
  ...sensitiveRows("run exec", "runs a command in a container", {
    executes: ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
    options: { ...RUN, "-T -it": sensitive("runs a command in a container") },
  }),
  ...sensitiveRows("down", "ends containers", {
    options: { "-v --volumes --rmi": extreme(REMOVES) },
  }),
  ...extremeRows("rm kill push publish", REMOVES),
];

/** Rows of the program table. */
export const CONTAINERS: readonly Row[] = [
  ...sensitiveRows("docker podman nerdctl", DAEMON, {
    options: {
      "-H --host -c --context --config --tlscacert": extreme("acts on another machine"),
      "--log-level -l": "text",
    },
    subcommands: [
      ...sensitiveRows(
        "ps images logs inspect version info stats top port diff history search events ls wait",
        DAEMON,
      ),
      ...sensitiveRows("build buildx builder", "builds an image", {
        executes: ["Dockerfile"],
        options: {
          "-f --file": "read",
          "--allow --security-opt --secret --ssh": MACHINE,
          "--push": extreme("publishes an image"),
          "-o --output --iidfile": "write",
          "-t --tag --build-arg --target --platform": "text",
        },
        subcommands: [...extremeRows("prune rm", REMOVES)],
      }),
      ...sensitiveRows(
        `
          pull start stop restart pause unpause create rename tag commit update attach
          export save load import
        `,
        DAEMON,
        {
          options: { ...RUN, "-o --output -i --input": "write" },
        },
      ),
      ...sensitiveRows("run", "runs a container", { options: RUN }),
      ...sensitiveRows("exec", "runs a command in a container", {
        wrapper: {
          flags: "-i -t -it -ti --interactive --tty -d --detach",
          valued: "-w --workdir -u --user -e --env --env-file",
          skip: 1,
        },
      }),
      ...sensitiveRows("cp", DAEMON, { operands: "write" }),
      ...extremeRows(
        "rm rmi kill prune push login logout swarm service stack node secret plugin trust context",
        REMOVES,
      ),
      ...sensitiveRows("compose", DAEMON, {
        options: { "-f --file --env-file": "read", "-p --project-name --profile": "text" },
        subcommands: COMPOSE,
      }),
      ...sensitiveRows("container image volume network system manifest", DAEMON, {
        subcommands: [
          ...sensitiveRows(
            `
              ls list ps inspect logs df info top stats port history create pull build
              tag start stop events
            `,
            DAEMON,
          ),
          ...extremeRows("rm remove prune push kill disconnect connect run exec", REMOVES),
        ],
      }),
    ],
  }),
  ...sensitiveRows("docker-compose podman-compose", DAEMON, {
    options: { "-f --file --env-file": "read", "-p --project-name --profile": "text" },
    subcommands: COMPOSE,
  }),
  ...extremeRows(
    "ctr crictl runc crun lxc lxd incus buildah skopeo machinectl",
    "acts on containers of the machine",
  ),
  ...sensitiveRows("kubectl k oc k3s", "network: talks to a cluster", {
    options: {
      "--kubeconfig --server -s --token --as --as-group --insecure-skip-tls-verify": extreme(
        "acts on another cluster or as another user",
      ),
      "-n --namespace --context --cluster --user": "text",
    },
    subcommands: [
      ...sensitiveRows(
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
      ...extremeRows(
        `
          delete drain cordon uncordon taint apply create replace patch edit scale rollout
          set label annotate expose run exec cp attach port-forward proxy debug auth
          certificate autoscale config adm
        `,
        "changes a cluster",
      ),
    ],
  }),
  ...sensitiveRows("helm helmfile kustomize", "network: talks to a cluster", {
    subcommands: [
      ...sensitiveRows(
        `
          list ls status template lint show get search history version env dependency repo
          build verify
        `,
        "reads charts or a cluster",
      ),
      ...extremeRows(
        "install upgrade uninstall delete rollback push plugin apply sync destroy registry",
        "changes a cluster",
      ),
    ],
  }),
  ...extremeRows(
    "kubeadm minikube kind k3d eksctl istioctl argocd flux velero",
    "changes a cluster",
  ),
  ...sensitiveRows("minikube kind k3d argocd flux istioctl", "network: talks to a cluster", {
    subcommands: [
      ...sensitiveRows("status version get list ip profile logs", "network: talks to a cluster"),
      ...extremeRows(
        "delete start stop create ssh apply install uninstall app sync reconcile",
        "changes a cluster",
      ),
    ],
  }),
];
