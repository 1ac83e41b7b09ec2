/**
 * Programs that reach other machines: fetching is sensitive; sending, logging in and serving are extreme. Containers
 * can be given the whole machine, clusters and clouds are other people's.
 */

/** A question to a database, behind the options and the name that it takes. */
const QUESTION = String.raw`^(?![^]*\b(config|del|eval|flush\w*|kill|reset|shutdown)\b)(?:` +
  String
    .raw`(--?[\w=:./-]+\n((?!-)[\w.@:/+-]+\n)?)*((?![-.][a-z])[\w./-]+\n)?(--?c(ommand|md)?\n|-e\n)?(` +
  String
    .raw`(select|show|explain|describe|desc)\b(?!.*\b(into|outfile|dumpfile|analy[sz]e|for)\b)` +
  String.raw`([^;()\\$\0\n]|(count|sum|min|max|avg)\([\w.* ]*\))*;?|` +
  String.raw`\.(tables|schema|databases|indexes)( \w+)?|\\(d\S*|l\+?|z|conninfo)( [\w.]+)?)|` +
  String.raw`(-[hpn]\n\S+\n)*(get|keys|info|ping|ttl|type|exists)(\n[\w:.-]+)*)$`;

/** SQL that only adds to the file of a database. */
const ADDS = String
  .raw`^(?![^]*\b(drop|delete|update|replace|alter|pragma|vacuum|install|load|copy|export|import)\b)(-\w+\n)*(?!-)` +
  String.raw`[\w./-]+\n\s*(insert into|create (table|(unique )?index|view))\b[^\0$\x60]*$`;

/** Rows of the program table for what gets the network. */
export const NETWORK = `
sensitive curl: fetches over the network
  special network
  -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -T
      --upload-file --url-query: extreme= network: sends data to another machine
  -u --user -n --netrc --netrc-file -b --cookie --oauth2-bearer -E --cert --key: extreme= network:
      sends a secret to another machine
  -x --proxy --socks5 --socks5-hostname --preproxy --resolve --connect-to --doh-url --unix-socket
      --abstract-unix-socket --proto-default --proto-redir: extreme= network: goes through another machine
  -K --config --engine --libcurl: code
  -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --ssl-sessions
      --output --output-dir: write
  -O --remote-name --remote-name-all: saves
  -X --request -H --header -A --user-agent -e --referer -m --max-time -w --write-out --retry -r
      --range --url --variable: text
sensitive wget wget2: fetches over the network
  special network
  --post-data --post-file --body-data --body-file --method: extreme= network: sends data to another machine
  --user --password --http-user --http-password --load-cookies --use-askpass --certificate
      --private-key: extreme= network: sends a secret to another machine
  -e --execute --config --use-server-timestamps: code
  -O --output-document -a --append-output -P --directory-prefix --save-cookies --warc-file: write
  -N --timestamping -c --continue: saves
  -i --input-file: extreme= network: sends what a file names
  -U --user-agent --header: text
sensitive ping ping6 traceroute tracepath mtr dig host nslookup whois getent resolvectl lynx w3m
    links firefox chrome: asks over the network
  special network
  -f: extreme= network: sends data to another machine
sensitive http https xh httpie grpcurl aria2c axel youtube-dl yt-dlp gallery-dl: fetches over the network
  special network
  match ^(POST|PUT|PATCH|DELETE)$|^[\\w-]+(:?=|@)[^/] => extreme network: sends data to another machine
  --on-download-complete --config-location --postprocessor-args: code
  -d --dir -O --download: write
  -f --form: extreme= network: sends data to another machine
extreme nc ncat netcat socat telnet tftp ftp ngrok cloudflared tailscale openvpn mail mailx sendmail
    tsocks torsocks torify proxychains proxychains4: network: can send anything to another machine
`;

/** Rows for what also gets the keys that it is given. */
export const KEYS = `
extreme lftp sftp scp ssh mosh sshpass ssh-copy-id autossh sshfs rclone s3cmd: network: can send
    anything to another machine
extreme gpg gpg2 age sops pass op bw vault keybase secret-tool security ssh-add ssh-agent kinit
    certbot: handles keys and secrets
extreme vercel: publishes the project
- sensitive +network build dev: builds the project
- sensitive ls list inspect logs log whoami projects project domains env teams help pull: network: talks to a cloud
  words add rm remove: extreme changes what is in a cloud
sensitive aws gcloud az doctl hcloud linode-cli oci ibmcloud flyctl fly heroku netlify wrangler
    railway render supabase firebase eb gsutil databricks bq: network: talks to a cloud
  match ^(?!s3$)(\\w+:)?(delete|remove|rm|rb|mb|terminate|destroy|create|put|update|set|deploy|cp|mv|sync|push|publish|run|start|stop|reboot|restart|deallocate|ssh|exec|attach|detach|modify|add|import|login|apply|invoke|send|purge|scale|promote|rollback|reset|drop|enable|disable|upload|auth|secrets?|config|configure|rsync|copy|psql|console|bash|shell|connect|resize|rotate|revoke|authorize|grant|clear|cancel|close|abort|kill|unset|link|unlink|transfer|fork|rename|move|patch|replace|restore|release|(de)?register|suspend|drain|failover|maintenance|write|batch-(write|delete)|execute|disassociate|schedule|change|mk|load|insert|truncate|assume|get-(secret|password|token|parameter)|print-(access|identity)-token)([-:].*)?$ => extreme changes what is in a cloud
  --destination_table --replace: extreme changes what is in a cloud
extreme serverless sls sam cdk pulumi amplify packer ansible ansible-playbook salt puppet chef
    azcopy kubeadm eksctl velero: changes infrastructure
- sensitive preview diff ls list version about: reads the infrastructure
- sensitive +network synth validate build package: builds the project
sensitive terraform tofu terragrunt vagrant: reads or changes infrastructure
  longdash
  -chdir: write
  words delete apply destroy import taint untaint state force-unlock login logout refresh run-all
      ssh box: extreme changes infrastructure
- sensitive =writes +network fmt: formats files of the workspace
sensitive snowsql psql mysql mariadb clickhouse-client cqlsh sqlcmd usql pgcli mycli redis-cli
    pg_isready valkey-cli mongosh mongo influx etcdctl consul memcached-tool: uses a database
  unless ${QUESTION} => extreme may change or destroy data of a database
  -c --command --cmd -n: text
  -f --file -i --init --pipe --rdb --functions-rdb -x -X: code
  -L: write
extreme pg_dump pg_dumpall mysqldump mongodump mongoexport createdb dropdb dropuser createuser mysqladmin mysqlimport
    pg_restore mongorestore mongoimport pg_resetwal pg_ctl initdb etcdutl: changes or destroys a database
sensitive gh glab hub tea: network: talks to the code host
  words auth secret variable ssh-key gpg-key alias extension config create-repo delete archive
      rename edit transfer sync deploy-key delete-asset upload merge cancel disable enable ssh cp
      unlink close-all trigger retry fork: extreme changes what is on the code host
- sensitive api: network: talks to the code host
  -f --raw-field -F --field --input -X --method -H --header: extreme may act on the code host
- sensitive repo release gist workflow: network: talks to the code host
  words create delete archive rename edit transfer sync deploy-key delete-asset upload run disable
      enable: extreme publishes what cannot be taken back
- - sensitive +network +keys +repository +repository_config clone: network: talks to the code host
- sensitive +network +keys +repository +repository_config clone: network: talks to the code host
`;

/** Rows for databases in files, and for keys and certificates, which need nothing of the kind. */
export const LOCAL = `
sensitive openssl ssh-keygen mkcert: works on keys and certificates
  longdash
  -out -keyout -writerand -f: write
  -in -inkey -key -CAfile -certfile -kfile -rand -passin -pass: path
  -engine -provider -config: code
- extreme +network s_client s_server s_time ocsp: network: can send anything to another machine
sensitive =writes sqlite3 sqlcipher duckdb litecli: uses a database
  match \\b(attach|load_extension|(write|read)file|edit|fts3_tokenizer)\\b|^\\s*\\.s[hy] => extreme may run programs, or open other files
  unless ${ADDS}|${QUESTION} => held may change or destroy data of a database
  -cmd --cmd: text
  -init --init: code
`;

/** Rows for what also gets the services of the machine. */
export const CONTAINERS = `
sensitive docker podman nerdctl docker-compose podman-compose: talks to the container daemon
  -H --host --context --config --tlscacert: extreme acts on another machine
  words rm rmi kill prune push publish login logout swarm service stack node secret plugin trust
      context disconnect connect remove: extreme removes or publishes containers, images or volumes
  --privileged --cap-add --device --pid --ipc --uts --userns --security-opt --volumes-from --mount --cgroupns
      --cgroup-parent --runtime --gpus --allow --secret --ssh: extreme gives a container more than the workspace
  --push --volumes: extreme removes or publishes containers, images or volumes
  -v --volume: volume
  -i --input --iidfile: write
  executes Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml .env
      compose.override.yml compose.override.yaml docker-compose.override.yml docker-compose.override.yaml
- sensitive exec: runs a command in a container
  wraps skip 1
  -i -t -it -ti --interactive --tty -d --detach: flag
  -w --workdir -u --user -e --env --env-file: text
- sensitive =writes cp: talks to the container daemon
- sensitive compose: talks to the container daemon
  words rm kill push publish: extreme removes or publishes containers
- - sensitive down: ends containers
  -v --volumes --rmi: extreme removes volumes
- - sensitive run exec: runs a command in a container
  -v --volume: volume
extreme ctr crictl runc crun lxc lxd incus buildah skopeo machinectl: acts on containers of the machine
sensitive kubectl k oc k3s helm helmfile kustomize minikube kind k3d istioctl argocd flux: network: talks to a cluster
  --kubeconfig --server -s --token --as --as-group --insecure-skip-tls-verify: extreme acts on
      another cluster or as another user
  words secret secrets delete drain cordon uncordon taint apply create replace patch edit scale
      rollout set label annotate expose run exec cp attach port-forward proxy debug auth certificate
      autoscale config adm install upgrade uninstall rollback push plugin sync destroy registry
      start stop ssh app reconcile: extreme changes a cluster, or reads its secrets
`;
