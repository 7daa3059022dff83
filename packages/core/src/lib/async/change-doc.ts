/** A change of a document that others change at the same time: none of them loses anything. */
import type { Docs } from "../../contract/store.ts";
import { hasCode } from "../errors/errors.ts";

/** The body as it is to be, and what the caller wants to know. The same body: nothing is written. Undefined: there is to be none. */
export type Changed<Result> = readonly [body: string | undefined, result: Result];

/**
 * Reads it, has it changed and writes it; again from what somebody else wrote meanwhile, which each time brought another one on.
 * @param change Called at least once: what it does beside answering, it does as often.
 * @returns what belongs to the change that was written. @throws what `change` throws about what is there: nothing was written then.
 */
export async function changeDoc<Result>(
  docs: Pick<Docs, "read" | "write" | "remove">,
  name: string,
  change: (body: string | undefined) => Changed<Result>,
): Promise<Result> {
  for (;;) {
    const doc = await docs.read(name);
    let changed: Changed<Result>;
    try {
      changed = change(doc?.body);
    } catch (error) {
      // What is wrong with something that is there no more is no answer.
      if ((await docs.read(name))?.rev === doc?.rev) throw error;
      continue;
    }
    const [body, result] = changed;
    if (body === doc?.body) return result;
    try {
      if (body !== undefined) await docs.write(name, body, doc?.rev ?? 0);
      else if (doc !== undefined) await docs.remove(name, doc.rev);
      return result;
    } catch (error) {
      // Of anything else nobody knows whether it is there: it is not made a second time.
      if (!hasCode(error, "doc.conflict")) throw error;
    }
  }
}

/**
 * What a document says as it is now, worked out again when it says something else.
 * @param unreadable While it cannot be read, it says what it said last, or this when it never could. Default: that is thrown.
 */
export function parsedDoc<Value>(
  docs: Pick<Docs, "peek">,
  name: string,
  parse: (body: string | undefined) => Value,
  unreadable?: Value,
): () => Value {
  let known: { readonly body: string | undefined; readonly value: Value } | undefined;
  return () => {
    let body: string | undefined;
    try {
      body = docs.peek(name)?.body;
    } catch (error) {
      if (unreadable === undefined) throw error;
      return known?.value ?? unreadable;
    }
    if (known === undefined || known.body !== body) known = { body, value: parse(body) };
    return known.value;
  };
}

/** Before a change of what may be damaged: then it is kept under another name first, where a person may repair it. */
export async function keepAside(
  docs: Pick<Docs, "read" | "write" | "remove">,
  [name, elsewhere]: readonly [string, string],
  isDamaged: (body: string) => boolean,
): Promise<void> {
  const body = (await docs.read(name))?.body;
  if (body !== undefined && isDamaged(body)) await changeDoc(docs, elsewhere, () => [body, undefined]);
}
