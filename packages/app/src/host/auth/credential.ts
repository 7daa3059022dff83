/** Who calls, as the store says: never as the caller claims. */

/** What a credential may do; each includes the ones below it. */
export type GrantedScope = "owner" | "admin" | "chat" | "read" | "metrics";

export interface Credential {
  readonly kind: "browser" | "token" | "local";
  /** Of the entry in the store; never the secret. */
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<GrantedScope>;
  /** Whom a token asks for, or whose login it is. Absent: the owner. */
  readonly for?: string;
  /** Until when a browser acts as `owner`, ms. Tokens are what they are. */
  readonly freshUntil?: number;
  /** When it ends by itself, ms. */
  readonly expiresAt?: number;
  /** Aborts when it is revoked, rotated, logged out or expired: sockets and streams end with it. */
  readonly gone: AbortSignal;
}

/** @param fresh the moment at which a proof must still hold. */
export function allows(credential: Credential, scope: GrantedScope, fresh: number): boolean {
  const { scopes, kind } = credential;
  if (scopes.has("owner")) return true;
  switch (scope) {
    case "owner":
      return kind === "browser" && scopes.has("admin") && (credential.freshUntil ?? 0) > fresh;
    case "admin":
      return scopes.has("admin");
    case "chat":
      return scopes.has("admin") || scopes.has("chat");
    case "read":
      return scopes.has("admin") || scopes.has("read");
    case "metrics":
      return scopes.has("admin") || scopes.has("read") || scopes.has("metrics");
  }
}
