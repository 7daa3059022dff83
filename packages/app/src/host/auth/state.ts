/** Who may come in, as it is kept: only digests of secrets. */
import { RuntimeError } from "@margay/core";
import { changeDoc, messageOf, type Docs } from "@margay/core/internal";
import { z } from "zod";
import type { GrantedScope } from "./credential.ts";
import { AUTH_DOC } from "./token-readers.ts";

const SCOPES = ["owner", "admin", "chat", "read", "metrics"] as const satisfies readonly GrantedScope[];
const Digest = z.string().regex(/^[0-9a-f]{64}$/);

const TokenEntry = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  digest: Digest,
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  budgetUsdPerDay: z.number().optional(),
  /** Whom it asks for: `guest`, or a person. Absent: the owner. */
  for: z.string().optional(),
  /** The secret before the last rotation, as long as it is still taken. */
  previous: z.strictObject({ digest: Digest, until: z.number() }).optional(),
});
const BrowserEntry = z.strictObject({
  id: z.string(),
  cookie: Digest,
  key: Digest,
  userAgent: z.string(),
  address: z.string(),
  createdAt: z.number(),
  lastSeenAt: z.number(),
  /** Absolute end. */
  endsAt: z.number(),
  idleMs: z.number(),
  freshUntil: z.number(),
  /** Whose login it is. Absent: the owner's. */
  for: z.string().optional(),
});
const AuthState = z.strictObject({
  version: z.literal(1),
  tokens: z.array(TokenEntry),
  browsers: z.array(BrowserEntry),
  password: z
    .strictObject({ salt: z.string(), hash: z.string(), N: z.number(), r: z.number(), p: z.number() })
    .optional(),
});

export type TokenEntry = z.output<typeof TokenEntry>;
export type BrowserEntry = z.output<typeof BrowserEntry>;
export type AuthState = z.output<typeof AuthState>;

/** @throws RuntimeError `config.invalid` when it is not what we wrote. */
export function authIn(body: string | undefined): AuthState {
  if (body === undefined) return { version: 1, tokens: [], browsers: [] };
  try {
    return AuthState.parse(JSON.parse(body));
  } catch (error) {
    throw new RuntimeError(
      "config.invalid",
      `${AUTH_DOC} of the state directory is damaged: ${messageOf(error).slice(0, 200)}. Remove it to start without logins and tokens.`,
      { cause: error },
    );
  }
}

/** @param change Of what is there now, which another node may have changed. */
export async function changeAuth(docs: Docs, change: (state: AuthState) => AuthState): Promise<void> {
  await changeDoc(docs, AUTH_DOC, (body) => [`${JSON.stringify(change(authIn(body)), null, 2)}\n`, undefined]);
}
