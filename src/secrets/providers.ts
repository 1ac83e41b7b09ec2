/**
 * The tokens of services that are known by their form, one row each: what it is, the literal texts of
 * which one must occur, and the pattern. Forms are those that the services document, and that the public
 * rule sets of gitleaks and secretlint (both MIT) list. A new service is a new row.
 */

/** One form of token. */
export interface TokenForm {
  /** Goes into the placeholder: lower case, digits, underscores. */
  readonly kind: string;
  /** A text holds the token only if it holds one of these: looked for first, because that is fast. */
  readonly hints: readonly string[];
  /** If it has a group, the group is the secret. Linear: every repetition is bounded or ends the match. */
  readonly pattern: RegExp;
}

/** A token begins where no letter or digit stands before it, or right after an escaped line end. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;
/** The same for tokens that look like a piece of base64. */
const ALONE = String.raw`(?:(?<![A-Za-z0-9+/=_-])|(?<=[=:]\s?["']?)|(?<=\\[nrt]))`;
const END = String.raw`(?![A-Za-z0-9])`;

function tokenForm(kind: string, hints: string, body: string): TokenForm {
  return lazyForm(kind, hints.split(" "), () => `${START}${body}(?<!\\.)${END}`);
}

function strictForm(kind: string, hints: string, body: string): TokenForm {
  return lazyForm(kind, hints.split(" "), () => `${ALONE}${body}(?![A-Za-z0-9+/_-])`);
}

/** Most forms never meet one of their hints: their patterns are not even made. */
function lazyForm(kind: string, hints: readonly string[], source: () => string): TokenForm {
  let made: RegExp | undefined;
  return {
    kind,
    hints,
    get pattern() {
      return made ??= new RegExp(source(), "g");
    },
  };
}

function anywhereForm(kind: string, hints: string, pattern: RegExp): TokenForm {
  return { kind, hints: hints.split(" "), pattern };
}

/** All forms; made on first use and kept by the caller. */
export function tokenForms(): readonly TokenForm[] {
  return [
    ...cloudForms(),
    ...codeForms(),
    ...modelForms(),
    ...serviceForms(),
    ...messagingForms(),
    ...generalForms(),
  ];
}

function cloudForms(): TokenForm[] {
  return [
    tokenForm("aws_access_key", "AKIA ASIA ABIA ACCA", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    tokenForm("aws_bedrock_key", "ABSK", "ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    tokenForm("google_api_key", "AIza", "AIza[\\w-]{35}"),
    tokenForm("google_oauth_secret", "GOCSPX-", "GOCSPX-[\\w-]{28}"),
    tokenForm("google_oauth_token", "ya29.", "ya29\\.[\\w-]{20,2000}"),
    tokenForm("google_refresh_token", "1//0", "1//0[\\w-]{40,200}"),
    tokenForm("azure_client_secret", "Q~", "[\\w~.-]{3}\\dQ~[\\w~.-]{31,34}"),
    tokenForm(
      "azure_devops_token",
      "AZDO",
      "[A-Za-z0-9]{52}JQQJ9(?:9|D|A|B)[A-Za-z0-9]{16}AZDO[A-Za-z0-9]{4}",
    ),
    anywhereForm(
      "azure_account_key",
      "Key=",
      /(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,100}={0,2})/g,
    ),
    anywhereForm("azure_sas_signature", "sig=", /[?&]sig=([A-Za-z0-9%+/]{40,100}(?:%3D|=){0,2})/g),
    tokenForm("alibaba_access_key", "LTAI", "LTAI[A-Za-z0-9]{12,24}"),
    tokenForm("tencent_secret_id", "AKID", "AKID[A-Za-z0-9]{32}"),
    tokenForm("digitalocean_token", "_v1_", "do[opr]_v1_[0-9a-f]{64}"),
    tokenForm("cloudflare_origin_key", "v1.0-", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    tokenForm("cloudflare_token", "cfk_ cfut_ cfat_", "cf(?:k|ut|at)_[A-Za-z0-9]{40,60}"),
    tokenForm("heroku_key", "HRKU-", "HRKU-[\\w-]{36,100}"),
    tokenForm(
      "fly_token",
      "fo1_ fm1 fm2_",
      "(?:fo1_[\\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,2000}={0,3})",
    ),
    tokenForm("vercel_token", "vcp_ vci_ vca_ vcr_ vck_", "vc[piark]_[A-Za-z0-9]{24,100}"),
    tokenForm("netlify_token", "nfp_ nfc_ nfo_ nfb_ nfu_", "nf[pcobu]_[A-Za-z0-9_-]{36,60}"),
    tokenForm("supabase_key", "sbp_ sb_secret_", "(?:sbp_[0-9a-f]{40}|sb_secret_[\\w-]{20,100})"),
    tokenForm("planetscale_token", "pscale_", "pscale_(?:tkn|pw|oauth)_[\\w.=-]{32,64}"),
    tokenForm("neon_key", "napi_", "napi_[a-z0-9]{64}"),
    tokenForm("databricks_token", "dapi", "dapi[0-9a-f]{32}(?:-\\d)?"),
    tokenForm("vault_token", "hvs. hvb. hvr.", "hv[sbr]\\.[\\w-]{24,300}"),
    tokenForm("terraform_token", ".atlasv1.", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70}"),
    tokenForm("pulumi_token", "pul-", "pul-[0-9a-f]{40}"),
    tokenForm("doppler_token", "dp.", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,60}"),
    tokenForm("tailscale_key", "tskey-", "tskey-[a-z]{2,12}-[\\w-]{20,100}"),
    tokenForm("infisical_token", "st.", "st\\.[0-9a-f]{24}\\.[0-9a-f]{32}\\.[0-9a-f]{32}"),
  ];
}

function codeForms(): TokenForm[] {
  return [
    tokenForm(
      "github_token",
      "ghp_ gho_ ghu_ ghs_ ghr_",
      "gh[pousr]_[A-Za-z0-9][\\w.-]{34,1500}(?<![.-])",
    ),
    tokenForm("github_token", "github_pat_", "github_pat_[A-Za-z0-9_]{22,255}"),
    tokenForm(
      "gitlab_token",
      "gl",
      "gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas|ffct)-[\\w.-]{20,320}(?<![.-])",
    ),
    tokenForm("gitlab_runner_token", "GR1348941", "GR1348941[\\w-]{20,27}"),
    tokenForm(
      "bitbucket_token",
      "ATBB ATCTT3",
      "(?:ATBB[A-Za-z0-9]{28,40}|ATCTT3[\\w=-]{100,300})",
    ),
    tokenForm("atlassian_token", "ATATT3 ATSTT3", "AT[AS]TT3[\\w=-]{100,300}"),
    tokenForm("npm_token", "npm_", "npm_[A-Za-z0-9]{36}"),
    tokenForm("pypi_token", "pypi-Ag", "pypi-Ag[\\w-]{50,1000}"),
    tokenForm("rubygems_key", "rubygems_", "rubygems_[0-9a-f]{48}"),
    tokenForm("crates_token", "cio", "cio[A-Za-z0-9]{32}"),
    tokenForm("nuget_key", "oy2", "oy2[a-z0-9]{43}"),
    tokenForm("docker_token", "dckr_", "dckr_[po]at_[\\w-]{27,40}"),
    tokenForm("clojars_token", "CLOJARS_", "CLOJARS_[a-z0-9]{60}"),
    strictForm("artifactory_token", "AKCp", "AKCp[A-Za-z0-9]{69,80}"),
    tokenForm("circleci_token", "CCIPAT_ CCIPRJ_", "CCIP(?:AT|RJ)_[A-Za-z0-9]{20,30}_[0-9a-f]{40}"),
    tokenForm("buildkite_token", "bkua_", "bkua_[0-9a-f]{40}"),
    tokenForm("sonar_token", "sqp_ squ_ sqa_", "sq[pua]_[0-9a-f]{40}"),
    tokenForm("sourcegraph_token", "sgp_ sgd_", "sg[pd]_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    tokenForm("postman_key", "PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    tokenForm(
      "launchdarkly_key",
      "api- sdk-",
      "(?:api|sdk|mob)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
  ];
}

function modelForms(): TokenForm[] {
  return [
    tokenForm("anthropic_key", "sk-ant-", "sk-ant-[\\w-]{20,300}"),
    tokenForm("openrouter_key", "sk-or-", "sk-or-v1-[0-9a-f]{64}"),
    tokenForm("openai_key", "sk-", "sk-(?:proj|svcacct|admin|service|None)-[\\w-]{20,300}"),
    tokenForm("openai_key", "sk-", "sk-(?=[A-Za-z-]{0,60}\\d)[A-Za-z0-9]{20,100}"),
    tokenForm("huggingface_token", "hf_ api_org_", "(?:hf|api_org)_[A-Za-z0-9]{34,40}"),
    tokenForm("replicate_token", "r8_", "r8_[A-Za-z0-9]{37}"),
    tokenForm("groq_key", "gsk_", "gsk_[A-Za-z0-9]{48,56}"),
    tokenForm("xai_key", "xai-", "xai-[A-Za-z0-9]{70,90}"),
    tokenForm("perplexity_key", "pplx-", "pplx-[A-Za-z0-9]{48,56}"),
    tokenForm("nvidia_key", "nvapi-", "nvapi-[\\w-]{60,80}"),
    tokenForm("cerebras_key", "csk-", "csk-[a-z0-9]{48}"),
    tokenForm("fireworks_key", "fw_", "fw_(?=[A-Za-z]{0,20}\\d)[A-Za-z0-9]{22,28}"),
    tokenForm("together_key", "tgp_v1_", "tgp_v1_[\\w-]{43}"),
    tokenForm("langsmith_key", "lsv2_", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    tokenForm("tavily_key", "tvly-", "tvly-[\\w-]{20,60}"),
    tokenForm("elevenlabs_key", "sk_", "sk_[0-9a-f]{48}"),
  ];
}

function serviceForms(): TokenForm[] {
  return [
    tokenForm("stripe_key", "k_live_ k_test_", "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,250}"),
    tokenForm("webhook_secret", "whsec_", "whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    tokenForm("square_token", "sq0", "sq0(?:atp|csp|idp)-[\\w-]{22,43}"),
    tokenForm("shopify_token", "shp", "shp(?:at|ca|pa|ss|tka|rt)_[0-9a-fA-F]{32,40}"),
    tokenForm(
      "braintree_token",
      "access_token$",
      "access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[0-9a-f]{32}",
    ),
    tokenForm(
      "plaid_token",
      "access-",
      "access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    tokenForm("easypost_key", "EZAK EZTK", "EZ[AT]K[A-Za-z0-9]{54}"),
    tokenForm("linear_key", "lin_", "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    tokenForm("notion_token", "secret_", "secret_[A-Za-z0-9]{43}"),
    tokenForm("notion_token", "ntn_", "ntn_[A-Za-z0-9]{40,60}"),
    tokenForm("airtable_token", "pat", "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
    tokenForm("figma_token", "fig", "fig[dour]h?_[\\w-]{40,60}"),
    tokenForm("contentful_token", "CFPAT-", "CFPAT-[\\w-]{43}"),
    tokenForm("typeform_token", "tfp_", "tfp_[\\w-]{40,60}"),
    tokenForm("posthog_key", "phx_ phs_", "ph[xs]_[A-Za-z0-9]{40,60}"),
    tokenForm(
      "grafana_token",
      "glc_ glsa_",
      "(?:glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})",
    ),
    tokenForm("newrelic_key", "NRAK- NRII- NRIQ-", "NR(?:AK|II|IQ|JS|RA)-[A-Za-z0-9_-]{19,40}"),
    tokenForm("sentry_token", "sntry", "sntry[su]_[A-Za-z0-9+/=_-]{40,500}"),
    tokenForm("dynatrace_token", "dt0", "dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
    tokenForm("onepassword_token", "ops_eyJ", "ops_eyJ[\\w+/-]{100,2000}={0,3}"),
    tokenForm(
      "onepassword_key",
      "A3-",
      "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    tokenForm("prefect_key", "pnu_", "pnu_[A-Za-z0-9]{36}"),
    tokenForm("shippo_token", "shippo_", "shippo_(?:live|test)_[0-9a-f]{40}"),
    tokenForm("adafruit_key", "aio_", "aio_[A-Za-z0-9]{28}"),
    tokenForm("readme_key", "rdme_", "rdme_[a-z0-9]{70}"),
    tokenForm("frameio_token", "fio-u-", "fio-u-[\\w=-]{64}"),
    tokenForm("mapbox_token", "sk.eyJ", "sk\\.eyJ[\\w-]{50,200}\\.[\\w-]{20,40}"),
  ];
}

function messagingForms(): TokenForm[] {
  return [
    tokenForm("slack_token", "xox", "xox[abceoprs]-(?=[A-Za-z-]{0,12}\\d)[\\w-]{10,250}"),
    tokenForm("slack_token", "xapp-", "xapp-\\d-[A-Z0-9]{6,20}-\\d{6,20}-[a-z0-9]{20,100}"),
    anywhereForm(
      "slack_webhook",
      "hooks.slack.com",
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9+/]{30,100})/g,
    ),
    anywhereForm(
      "discord_webhook",
      "/api/webhooks/",
      /\/api\/webhooks\/\d{17,20}\/([\w-]{50,100})/g,
    ),
    anywhereForm(
      "teams_webhook",
      ".webhook.office.com",
      /\.webhook\.office\.com\/(webhookb2\/[\w@/-]{60,300})/g,
    ),
    tokenForm("telegram_token", ":AA", "\\d{8,10}:AA[\\w-]{32,34}"),
    tokenForm("twilio_key", "SK", "SK[0-9a-f]{32}"),
    tokenForm("sendgrid_key", "SG.", "SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}"),
    tokenForm("mailgun_key", "key-", "key-[0-9a-f]{32}"),
    tokenForm("mailchimp_key", "-us", "[0-9a-f]{32}-us\\d{1,2}"),
    tokenForm("brevo_key", "xkeysib-", "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    tokenForm("resend_key", "re_", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}"),
  ];
}

function generalForms(): TokenForm[] {
  return [
    // A token of three parts whose first two are JSON; the well-known example of jwt.io is none.
    anywhereForm(
      "jwt",
      "eyJ",
      /(?:(?<![\w.-])|(?<=\\[nrt]))eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.(?!SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c)[\w-]{16,2000}/g,
    ),
    // The beginning of a token of which a cut has left no more.
    lazyForm(
      "cut_token",
      ["... [line cut", " characters cut here", "…"],
      () =>
        `${START}(?:AKIA|gh[pousr]_|github_pat_|glpat-|sk-(?:ant|proj|or|svcacct)-|sk_live_|xox[bpars]-|` +
        String.raw`AIza|hf_|npm_|pypi-|SG\.|eyJ|hvs\.|dop_v1_)[\w.-]{4,4000}?` +
        String.raw`(?=\.\.\. \[line cut|…|\n\[\.\.\. [\d,]+ characters cut here)`,
    ),
    tokenForm("age_key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    anywhereForm(
      "authorization",
      "earer",
      /[Bb]earer\s{1,4}((?=[\w.~+/-]{0,40}\d)[\w.~+/-]{20,4000}={0,2})/g,
    ),
    anywhereForm(
      "authorization",
      "uthorization",
      /[Aa]uthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey|[Bb]ot)\s{1,4}([\w.~+/-]{8,4000}={0,2})/g,
    ),
  ];
}
