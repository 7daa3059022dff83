/** Ways in for a person: a code of the terminal, the password, the first set-up; and the fresh proof. All failures are audited. */
import type { JsonObject } from "@margay/core";
import type { AuditEvent } from "../audit-events.ts";
import { Problem, type ProblemCode } from "../api/problem.ts";
import type { Services } from "../api/services.ts";
import type { CodeKind } from "./codes.ts";
import type { BrowserLogin, Client } from "./store.ts";
import { told } from "../api/words.ts";
import type { Text } from "../../texts/text.ts";
import { TEXT } from "./api-texts.ts";

type Needs = Pick<Services, "app" | "auth" | "events">;

/** @throws Problem `auth.invalid`, `auth.code-used`, `auth.code-expired`, `auth.locked`. */
export function exchange(services: Needs, code: string, client: Client): Promise<BrowserLogin> {
  return opened(services, "code", client, redeem(services, "login", code, client));
}

/** @throws Problem `auth.invalid`, `auth.locked`. */
export async function login(services: Needs, password: string, client: Client): Promise<BrowserLogin> {
  await proveByPassword(services, password, client);
  return opened(services, "password", client);
}

/** @throws Problem `auth.setup-closed`, `auth.weak-password` and those of a code. */
export async function setUp(
  services: Needs,
  { code, password }: { readonly code: string; readonly password: string },
  client: Client,
): Promise<BrowserLogin> {
  const { auth, events } = services;
  if (auth.hasPassword() || !auth.codes.waits("setup"))
    throw new Problem("auth.setup-closed", told({ detail: TEXT.firstSetUp, remedy: TEXT.logInPassword }));
  auth.acceptable(password); // a weak one does not use the code up
  redeem(services, "setup", code, client);
  await auth.setPassword(password);
  events.setUp();
  return opened(services, "setup", client);
}

/** @returns until when the browser acts as owner. @throws Problem `auth.invalid`, `auth.locked`. */
export async function confirm(
  services: Needs,
  proof: { readonly password: string } | { readonly code: string },
  id: string,
  client: Client,
): Promise<number> {
  if ("code" in proof) redeem(services, "confirm", proof.code, client);
  else await proveByPassword(services, proof.password, client);
  audited(services, "auth.confirmed", { browser: id, address: client.address });
  return services.auth.refresh(id);
}

async function proveByPassword(services: Needs, password: string, { address }: Client): Promise<void> {
  const { auth } = services;
  auth.lockout.check(address, "password");
  if (await auth.checkPassword(password)) {
    auth.lockout.succeeded(address);
    return;
  }
  auth.lockout.failed(address, "password");
  audited(services, "auth.refused", { by: "password", address });
  throw new Problem("auth.invalid", told({ detail: TEXT.passwordWrong }));
}

/** @returns the person it is for; undefined: the owner. A code that is right is taken at once, whoever guessed wrong before: the terminal vouches for it. */
function redeem(services: Needs, kind: CodeKind, code: string, { address }: Client): string | undefined {
  const { app, auth, events } = services;
  const redeemed = auth.codes.redeem(kind, code);
  const isGone = typeof redeemed === "object" && !Object.hasOwn(app.inside.loaded().config.people, redeemed.person);
  const result = isGone ? "expired" : redeemed;
  if (result === "ok") return undefined;
  if (typeof result === "object") return result.person;
  audited(services, "auth.refused", { by: kind, result, address });
  if (result === "used") {
    events.codeUsedAgain(kind, address);
    throw refused("auth.code-used", TEXT.linkAlreadyUsed);
  }
  if (result === "expired") throw refused("auth.code-expired", TEXT.linkTooOld);
  auth.lockout.check(address, "code");
  auth.lockout.failed(address, "code");
  throw refused("auth.invalid", TEXT.codeKnown);
}

function refused(code: ProblemCode, detail: Text): Problem {
  return new Problem(code, told({ detail, remedy: TEXT.runForNew }));
}

async function opened(services: Needs, by: string, client: Client, person?: string): Promise<BrowserLogin> {
  const made = await services.auth.openBrowser(client, person);
  const whose = person === undefined ? {} : { for: person };
  audited(services, "auth.login", { by, browser: made.credential.id, address: client.address, ...whose });
  return made;
}

export function audited({ app }: Pick<Services, "app">, name: AuditEvent, data: JsonObject): void {
  app.audit.record(name, data);
}
