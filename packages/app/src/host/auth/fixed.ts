/** Credentials that last as long as the process. */
import { never } from "@margay/core/internal";
import type { Credential, GrantedScope } from "./credential.ts";
import { digestOf, findByDigest } from "./secrets.ts";

interface FixedToken {
  readonly id: string;
  readonly kind: "local" | "token";
  readonly scope: GrantedScope;
  readonly secret: string;
}

export function createFixed(tokens: readonly FixedToken[]): { find(digest: string): Credential | undefined } {
  const unending = never();
  const all = tokens.map(({ id, kind, scope, secret }) => ({
    digest: digestOf(secret),
    credential: { kind, id, name: id, scopes: new Set([scope]), gone: unending } satisfies Credential,
  }));
  return { find: (digest) => findByDigest(all, digest, (one) => [one.digest])?.credential };
}
