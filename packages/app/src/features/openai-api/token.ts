/** Whose request it is: `/v1` takes bearer tokens, never the cookie of a browser. */
import { Problem } from "../../host/api/problem.ts";
import type { Audience } from "@margay/core/internal";
import { OWNER } from "../../host/people.ts";
import type { Call } from "../../host/api/route.ts";

/** @returns the id of the token. @throws Problem `auth.required`. */
export function tokenOf({ credential }: Pick<Call<unknown, unknown>, "credential">): string {
  if (credential === undefined || credential.kind === "browser")
    throw new Problem("auth.required", {
      detail: "This API takes a token: Authorization: Bearer … (margay token create --scope chat).",
    });
  return credential.id;
}

/** Who reads what a token is answered. @throws Problem `auth.invalid`: its person is there no more. */
export function readerOf({ credential, services }: Pick<Call<unknown, unknown>, "credential" | "services">): Audience {
  const reader = credential?.for ?? OWNER;
  const { people } = services.app.inside.loaded().config;
  if (reader === OWNER || reader === GUEST || Object.hasOwn(people, reader)) return reader;
  throw new Problem("auth.invalid", { detail: `The person of this token is there no more: ${reader}.` });
}

const GUEST = "guest";
