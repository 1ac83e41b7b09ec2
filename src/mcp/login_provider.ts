/**
 * The OAuth client provider (OAuth 2.1): how ally identifies itself, and where it keeps what it receives. A run cannot
 * send anybody to a browser, so there an expired login is an error. Loaded only for servers with a login.
 */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/sdk/client/auth";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth";
import type { LoginFile } from "./login_file.ts";

/** Nobody is logged in, and nobody can be asked to log in. */
export class LoginNeeded extends Error {
  override name = "LoginNeeded";
}

/** What the provider works with. */
interface LoginProviderOptions {
  readonly file: LoginFile;
  /** Where the browser is redirected, and the state it must bring along; absent in a run. */
  readonly callback?: { readonly url: string; readonly state: string };
  /** Sends the person to a page; absent in a run. */
  readonly onPage?: (url: URL) => void;
}

/** Makes the provider that the MCP client uses. */
export function createLoginProvider(options: LoginProviderOptions): OAuthClientProvider {
  const { file, callback, onPage } = options;
  let verifier = "";
  const metadata: OAuthClientMetadata = {
    client_name: "ally",
    redirect_uris: [callback?.url ?? "http://127.0.0.1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  return {
    redirectUrl: metadata.redirect_uris[0],
    clientMetadata: metadata,
    ...(callback && { state: () => callback.state }),
    clientInformation: () => file.read().client as OAuthClientInformationMixed | undefined,
    saveClientInformation: (client) => file.update({ client }),
    tokens: () => file.read().tokens as OAuthTokens | undefined,
    saveTokens: (tokens) => file.update({ tokens }),
    discoveryState: () => file.read().discovery as OAuthDiscoveryState | undefined,
    saveDiscoveryState: (discovery) => file.update({ discovery }),
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => verifier,
    redirectToAuthorization(url) {
      if (onPage === undefined) throw new LoginNeeded("its login has expired");
      onPage(url);
    },
    async invalidateCredentials(what) {
      const all = what === "all";
      await file.update({
        ...((all || what === "client") && { client: undefined }),
        ...((all || what === "tokens") && { tokens: undefined }),
        ...((all || what === "discovery") && { discovery: undefined }),
      });
    },
  };
}
