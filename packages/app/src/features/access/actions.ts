/** Tokens and the password, for routes and for commands: done and recorded the same way. */
import { z } from "zod";
import { Problem } from "../../host/api/problem.ts";
import type { Services } from "../../host/api/services.ts";
import { audited } from "../../host/auth/login.ts";
import { operation } from "../../host/control/operation.ts";
import { OWNER } from "../../host/people.ts";
import { NewTokenBody, PasswordBody, RotateBody, type TokensResponse } from "./schema.ts";

/** Id of the credential of who sits at this machine. */
const LOCAL = "local";

export function listTokens({ auth }: Services): z.infer<typeof TokensResponse>["items"] {
  return auth.tokens().map(({ digest: _digest, previous: _previous, ...token }) => token);
}

const GUEST = "guest";

/** @param others names that are taken too. @returns undefined: the owner. @throws Problem `request.invalid`. */
export function personNamed(
  { app }: Services,
  name: string | undefined,
  others: readonly string[] = [],
): string | undefined {
  if (name === undefined || name === OWNER || name === "") return undefined;
  const { people } = app.inside.loaded().config;
  if (Object.hasOwn(people, name)) return name;
  throw new Problem("request.invalid", {
    detail: `There is no person ${JSON.stringify(name)}. There are: ${[OWNER, ...others, ...Object.keys(people)].join(", ")}.`,
    errors: [{ path: "/for", code: "invalid_value", message: "Nobody here has this name." }],
  });
}

/** @param by Id of the credential. @throws Problem `request.invalid`. */
export async function createToken(
  services: Services,
  { name, scopes, expiresAt, budgetUsdPerDay, for: given }: z.output<typeof NewTokenBody>,
  by: string,
): Promise<{ readonly id: string; readonly token: string }> {
  if (expiresAt !== undefined && expiresAt <= services.app.clock.now())
    throw new Problem("request.invalid", {
      detail: "The token would have expired already.",
      errors: [{ path: "/expiresAt", code: "too_small", message: "It lies in the past." }],
    });
  const reader = given === GUEST ? GUEST : personNamed(services, given, [GUEST]);
  if (reader !== undefined && scopes.some((scope) => scope !== "chat"))
    throw new Problem("request.invalid", {
      detail:
        "A token of somebody beside the owner has the scope chat alone: everything else shows what is the owner's.",
      errors: [{ path: "/scopes", code: "invalid_value", message: "Only chat." }],
    });
  const made = await services.auth.createToken({
    name,
    scopes,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(budgetUsdPerDay !== undefined && { budgetUsdPerDay }),
    ...(reader !== undefined && { for: reader }),
  });
  audited(services, "auth.token-created", { token: made.id, name, scopes, by, for: reader ?? OWNER });
  return made;
}

/** @returns the new secret; undefined when there is no such token. */
export async function rotateToken(
  services: Services,
  id: string,
  graceSec: number,
  by: string,
): Promise<string | undefined> {
  const token = await services.auth.rotateToken(id, graceSec * 1000);
  if (token !== undefined) audited(services, "auth.token-rotated", { token: id, by });
  return token;
}

/** @returns false when there is no such token. */
export async function revokeToken(services: Services, id: string, by: string): Promise<boolean> {
  const revoked = await services.auth.revokeToken(id);
  if (revoked) audited(services, "auth.token-revoked", { token: id, by });
  return revoked;
}

/** @param keep Id of the browser that stays logged in. @throws Problem `auth.weak-password`. */
export async function setPassword(services: Services, password: string, by: string, keep?: string): Promise<void> {
  await services.auth.setPassword(password, keep);
  // Kept as a hash only: this process knows it, should somebody paste it into a chat.
  services.app.inside.secret(password);
  audited(services, "auth.password-set", { by });
}

export const ACCESS_OPERATIONS = {
  "access.tokens": operation(z.strictObject({}), (_none, { services }) => listTokens(services)),
  "access.createToken": operation(NewTokenBody, (wanted, { services }) => createToken(services, wanted, LOCAL)),
  /** Null: there is none. */
  "access.rotateToken": operation(
    z.strictObject({ id: z.string(), graceSec: RotateBody.shape.graceSec }),
    async ({ id, graceSec }, { services }) => (await rotateToken(services, id, graceSec, LOCAL)) ?? null,
  ),
  "access.revokeToken": operation(z.strictObject({ id: z.string() }), ({ id }, { services }) =>
    revokeToken(services, id, LOCAL),
  ),
  "access.setPassword": operation(PasswordBody, async ({ password }, { services }) => {
    await setPassword(services, password, LOCAL);
    return null;
  }),
} as const;
