/** Whom tokens ask for. Apart from `state.ts`: each start needs this, and nobody at a start needs a schema library. */
import { RuntimeError } from "@margay/core";
import { isRecord, parseJson, parsedDoc, type Docs } from "@margay/core/internal";

/** Who may come in. */
export const AUTH_DOC = "auth.json";

/** Whom a token asks for, beside the owner, as it is now: asked for each message of a program. */
export function tokenReaders(docs: Docs): (token: string) => string | undefined {
  const now = parsedDoc(docs, AUTH_DOC, readersIn);
  return (token) => now().get(token);
}

/** @throws RuntimeError `config.invalid` when it is not what we wrote: a guest's token must not become the owner's. */
function readersIn(body: string | undefined): ReadonlyMap<string, string> {
  if (body === undefined) return new Map();
  const state = parseJson(body);
  const tokens = isRecord(state) ? state["tokens"] : undefined;
  if (!Array.isArray(tokens) || !tokens.every(isToken))
    throw new RuntimeError("config.invalid", `${AUTH_DOC} of the state directory does not say whose tokens there are.`);
  return new Map(tokens.flatMap(({ id, for: reader }) => (reader === undefined ? [] : [[id, reader]])));
}

function isToken(value: unknown): value is { readonly id: string; readonly for?: string } {
  return isRecord(value) && typeof value["id"] === "string" && ["string", "undefined"].includes(typeof value["for"]);
}
