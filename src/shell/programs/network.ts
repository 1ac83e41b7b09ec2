/**
 * Programs that reach other machines. Fetching is sensitive; sending, logging in and serving are extreme.
 */
import { extreme, extremeRows, type Row, safeRows, sensitiveRows } from "../program.ts";

const FETCH = "network: fetches from another machine";
const LOOKUP = "network: asks about another machine";
const SEND = "network: can send anything to another machine";
const SENDS = { ...extreme("network: sends data to another machine"), valued: true } as const;
const SECRET = { ...extreme("network: sends a secret to another machine"), valued: true } as const;
const DETOUR = { ...extreme("network: goes through another machine"), valued: true } as const;

/** Rows of the program table. */
export const NETWORK: readonly Row[] = [
  ...sensitiveRows("curl", FETCH, {
    grammar: "curl",
    options: {
      "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -T --upload-file --url-query":
        SENDS,
      "-u --user -n --netrc --netrc-file -b --cookie --oauth2-bearer -E --cert --key": SECRET,
      "-K --config --engine --libcurl": "code",
      "-x --proxy --socks5 --socks5-hostname --preproxy --resolve --connect-to --doh-url --unix-socket --abstract-unix-socket":
        DETOUR,
      "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts":
        "write",
      "--cacert --capath --etag-compare": "read",
      "-X --request -H --header -A --user-agent -e --referer -m --max-time --connect-timeout -w --write-out --retry --retry-delay --retry-max-time -r --range --url -z --limit-rate --max-filesize --max-redirs -y -Y":
        "text",
    },
  }),
  ...sensitiveRows("wget wget2", FETCH, {
    grammar: "curl",
    options: {
      "--post-data --post-file --body-data --body-file --method": SENDS,
      "--user --password --http-user --http-password --load-cookies --use-askpass --certificate --private-key":
        SECRET,
      "-e --execute --config --use-server-timestamps": "code",
      "-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file":
        "write",
      "-i --input-file": "read",
      "-U --user-agent --header -t --tries -T --timeout -w --wait -l --level -A -R -D -I -X":
        "text",
    },
  }),
  ...sensitiveRows(
    "http https xh httpie hurl grpcurl websocat wscat aria2c axel youtube-dl yt-dlp gallery-dl",
    FETCH,
    {
      grammar: "curl",
      options: {
        "--exec --on-download-complete --config-location --postprocessor-args": "code",
        "-o --output -d --dir -O --download": "write",
        "-f --form": SENDS,
      },
    },
  ),
  ...extremeRows("websocat wscat hurl", SEND),
  ...extremeRows(
    `
      nc ncat netcat socat telnet openssl_s_client rlogin rsh tftp ftp lftp sftp scp ssh mosh
      sshpass ssh-copy-id autossh sshfs rclone s3cmd croc wormhole magic-wormhole transfer
      ngrok cloudflared localtunnel lt bore frpc tailscale wg wg-quick openvpn zerotier-cli
      chisel stunnel dns2tcp iodine rsh rexec kermit sz rz pv_send
    `,
    SEND,
  ),
  ...extremeRows(
    "mail mailx sendmail mutt msmtp swaks wall write talk irssi weechat slack-cli",
    SEND,
  ),
  ...extremeRows(
    `
      nmap masscan zmap nikto sqlmap hydra john hashcat tcpdump tshark wireshark ettercap
      arpspoof aircrack-ng msfconsole msfvenom responder bettercap
    `,
    "attacks or listens to the network",
  ),
  ...sensitiveRows(
    "ping ping6 traceroute tracepath mtr dig host nslookup whois drill kdig getent resolvectl",
    LOOKUP,
    { grammar: "curl" },
  ),
  ...safeRows("ss netstat lsof", {
    options: { "-K --kill": extreme("ends connections"), "-D --diag": "write" },
  }),
  ...sensitiveRows("ifconfig route arp", "reads or changes the network", {
    options: {
      "up down netmask broadcast mtu hw promisc add del flush -d --delete -s --set -f --file":
        extreme("changes the network"),
    },
  }),
  ...extremeRows("tsocks torsocks torify proxychains proxychains4", SEND),
  ...sensitiveRows("ip", "reads or changes the network", {
    subcommands: [
      ...sensitiveRows("addr a address link route r neigh rule", "reads the network", {
        options: {
          "add del delete set change replace flush append": extreme("changes the network"),
        },
      }),
    ],
  }),
  ...sensitiveRows("openssl", "works on keys and certificates", {
    operands: "read",
    longDash: true,
    options: { "-out -writerand": "write", "-engine -provider -config": "code" },
    subcommands: [
      ...safeRows("version list help dgst", {
        operands: "read",
        longDash: true,
        options: { "-out": "write" },
      }),
      ...extremeRows("s_client s_server s_time ocsp", SEND),
      ...sensitiveRows(
        "x509 req rsa ec pkey genrsa genpkey enc rand passwd verify",
        "works on keys and certificates",
        {
          operands: "read",
          longDash: true,
          options: { "-out -keyout": "write", "-engine -config": "code" },
        },
      ),
    ],
  }),
  ...extremeRows(
    "gpg gpg2 age sops pass op bw vault keybase secret-tool security ssh-add ssh-agent kinit",
    "handles keys and secrets",
  ),
  ...sensitiveRows("ssh-keygen mkcert certbot", "makes keys", {
    operands: "write",
    options: { "-f": "write" },
  }),
  ...extremeRows("certbot", "changes certificates of the system"),
  ...sensitiveRows(
    `
      aws gcloud az doctl hcloud linode-cli oci ibmcloud flyctl fly heroku vercel netlify
      wrangler railway render supabase firebase serverless sls sam cdk amplify pulumi
      terraform tofu terragrunt packer vagrant ansible ansible-playbook salt puppet chef eb
      gsutil bq azcopy databricks snowsql
    `,
    "network: talks to a cloud",
    {
      grammar: "cloud",
      options: { "--profile --region --output -o --format --project --query": "text" },
    },
  ),
  ...sensitiveRows("terraform tofu terragrunt", "reads or changes infrastructure", {
    options: { "-chdir": "write" },
    longDash: true,
    subcommands: [
      ...sensitiveRows(
        "plan validate show output version providers graph init get workspace console test",
        "reads the infrastructure",
        { options: { "delete": extreme("changes infrastructure") } },
      ),
      ...sensitiveRows("fmt", "formats files of the workspace", { operands: "write" }),
      ...extremeRows(
        "apply destroy import taint untaint state force-unlock login logout refresh run-all",
        "changes infrastructure",
      ),
    ],
  }),
  ...sensitiveRows("bq", "network: talks to a cloud", {
    subcommands: [
      ...sensitiveRows("ls show head version help", "network: talks to a cloud"),
      ...sensitiveRows("query", "network: talks to a cloud", {
        grammar: "sql",
        options: { "--destination_table --replace": extreme("changes what is in a cloud") },
      }),
      ...extremeRows("rm mk load cp insert update cancel truncate", "changes what is in a cloud"),
    ],
  }),
  ...extremeRows("vercel", "publishes the project", {
    subcommands: [
      ...sensitiveRows(
        "ls list inspect logs log whoami build dev projects project domains env teams help pull",
        "network: talks to a cloud",
        { options: { "add rm remove": extreme("changes what is in a cloud") } },
      ),
      ...extremeRows("deploy", "publishes the project"),
    ],
  }),
  ...extremeRows(
    "pulumi packer ansible ansible-playbook salt puppet chef serverless sls sam cdk amplify azcopy",
    "changes infrastructure",
  ),
  ...sensitiveRows("pulumi cdk sam serverless sls", "reads or changes infrastructure", {
    subcommands: [
      ...sensitiveRows(
        "preview diff synth ls list validate build package version about",
        "reads the infrastructure",
      ),
      ...extremeRows(
        `
          up destroy deploy remove rm cancel refresh import state stack config bootstrap
          publish delete
        `,
        "changes infrastructure",
      ),
    ],
  }),
  ...sensitiveRows("vagrant", "acts on virtual machines", {
    subcommands: [...extremeRows("destroy ssh box", "destroys or enters a virtual machine")],
  }),
  ...sensitiveRows(
    `
      psql mysql mariadb sqlite3 sqlcipher duckdb clickhouse-client cqlsh sqlcmd usql pgcli
      mycli litecli snowsql
    `,
    "uses a database",
    {
      grammar: "sql",
      options: {
        "-c --command -e --execute -q --query -Q --cmd": "text",
        "-f --file -i --init -init": "code",
        "-o --output -L --log-file": "write",
        "-h --host -p --port -U -u --user -d --dbname -D -P --set -v --variable": "text",
      },
    },
  ),
  ...sensitiveRows(
    "redis-cli valkey-cli mongosh mongo influx etcdctl consul memcached-tool",
    "uses a database",
    {
      grammar: "sql",
      options: { "--eval --pipe --rdb --functions-rdb -x -X": "code", "-h -p -a -n -u": "text" },
    },
  ),
  ...extremeRows(
    `
      dropdb dropuser createuser mysqladmin mysqlimport pg_restore mongorestore mongoimport
      pg_resetwal pg_ctl initdb etcdutl
    `,
    "changes or destroys a database",
  ),
  ...sensitiveRows(
    "pg_dump pg_dumpall mysqldump mongodump mongoexport createdb pg_isready",
    "reads a database",
    {
      options: { "-f --file -o --out --result-file": "write" },
    },
  ),
  ...sensitiveRows("lynx w3m links elinks chromium google-chrome firefox chrome", FETCH),
  ...sensitiveRows("speedtest speedtest-cli ab wrk hey k6 vegeta siege bombardier locust", FETCH),
];
