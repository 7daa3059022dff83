/** Signing in to a remote server: what the protocol library asks for, kept in one private document per server. */
import { randomBytes } from "node:crypto";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { RuntimeError } from "@margay/core";
import { changeDoc, type Docs } from "@margay/core/internal";

/** What is known of one server's authorization server. */
interface Stored {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly verifier?: string;
  readonly discovery?: OAuthDiscoveryState;
  /** The loopback address that was registered. */
  readonly redirect?: string;
}

export interface SignInStore {
  read(): Stored;
  change(part: Partial<Stored>): Promise<void>;
  forget(...keys: readonly (keyof Stored)[]): Promise<void>;
  remove(): Promise<void>;
}

/** @param name One with the other secrets. @param secret Told of every token. */
export function openSignInStore(docs: Docs, name: string, secret: (value: string) => void = () => {}): SignInStore {
  const announce = (stored: Stored): Stored => {
    const { tokens, client } = stored;
    for (const value of [tokens?.access_token, tokens?.refresh_token, client?.client_secret])
      if (value !== undefined && value !== "") secret(value);
    return stored;
  };
  const storedIn = (body = "{}"): Stored => {
    try {
      return announce(JSON.parse(body) as Stored); // written here only
    } catch {
      return {}; // a sign-in can be made again
    }
  };
  const change = (make: (stored: Stored) => Stored): Promise<void> =>
    changeDoc(docs, name, (body) => [`${JSON.stringify(announce(make(storedIn(body))), null, 2)}\n`, undefined]);
  return {
    read: () => storedIn(docs.peek(name)?.body),
    change: (part) => change((stored) => ({ ...stored, ...part })),
    remove: () => changeDoc(docs, name, () => [undefined, undefined]),
    forget: (...keys) =>
      change(
        (stored) =>
          Object.fromEntries(Object.entries(stored).filter(([key]) => !keys.includes(key as keyof Stored))) as Stored, // its own keys
      ),
  };
}

export interface ProviderOptions {
  readonly server: string;
  readonly store: SignInStore;
  /** A person is there: shows them the address. Without it a needed sign-in fails with `mcp.login`. */
  readonly person?: {
    readonly redirectUrl: string;
    readonly state: string;
    readonly show: (url: URL) => void | Promise<void>;
  };
  /** A public document about us, for authorization servers that take one in place of a registration. */
  readonly clientMetadataUrl?: string;
}

export function signInProvider({ server, store, person, clientMetadataUrl }: ProviderOptions): OAuthClientProvider {
  const redirectUrl = person?.redirectUrl ?? store.read().redirect ?? "http://127.0.0.1/callback";
  const mine = <T extends { readonly issuer?: string | undefined }>(
    stored: T | undefined,
    issuer: string | undefined,
  ): T | undefined =>
    stored !== undefined && issuer !== undefined && stored.issuer !== undefined && stored.issuer !== issuer
      ? undefined
      : stored;
  return {
    redirectUrl,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: "margay",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    ...(person !== undefined && { state: () => person.state }),
    clientInformation: (context) => {
      const { client, redirect } = store.read();
      // Registered for another loopback port: not every authorization server lets the port differ (RFC 8252, 7.3).
      const registered = client !== undefined && "redirect_uris" in client;
      return registered && person !== undefined && redirect !== redirectUrl ? undefined : mine(client, context?.issuer);
    },
    saveClientInformation: (client) => store.change({ client, redirect: redirectUrl }),
    tokens: (context) => mine(store.read().tokens, context?.issuer),
    saveTokens: (tokens) => store.change({ tokens }),
    saveCodeVerifier: (verifier) => store.change({ verifier }),
    codeVerifier: () => store.read().verifier ?? "",
    saveDiscoveryState: (discovery) => store.change({ discovery }),
    discoveryState: () => store.read().discovery,
    redirectToAuthorization: async (url) => {
      if (person === undefined)
        throw new RuntimeError(
          "mcp.login",
          `The MCP server ${server} wants a sign-in. Run \`margay mcp login ${server}\`.`,
        );
      if (url.protocol !== "https:" && url.protocol !== "http:")
        throw new RuntimeError(
          "mcp.failed",
          `The sign-in of ${server} leads to ${url.protocol}, which is no web page.`,
        );
      await person.show(url);
    },
    invalidateCredentials: (scope) =>
      scope === "all" ? store.forget("client", "tokens", "verifier", "discovery") : store.forget(scope),
  };
}

/** Unguessable: a page that somebody else opens cannot finish our sign-in. */
export function newState(): string {
  return randomBytes(24).toString("base64url");
}
