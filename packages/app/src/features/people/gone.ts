/** Names of persons who are none any more: journals speak of them, and nobody else gets one. */
import { RuntimeError } from "@margay/core";
import { changeDoc, isRecord, messageOf } from "@margay/core/internal";
import type { Places } from "../../config/paths.ts";

const NAME = "people.json";

type Home = Pick<Places, "docs">;

export function goneOf({ docs }: Home): readonly string[] {
  return goneIn(docs.peek(NAME)?.body);
}

export async function rememberGone({ docs }: Home, person: string): Promise<void> {
  await changeDoc(docs, NAME, (body) => {
    const gone = [...new Set([...goneIn(body), person])];
    return [`${JSON.stringify({ version: 1, gone }, null, 2)}\n`, undefined];
  });
}

/** @throws RuntimeError `config.unreadable`: a name that was somebody's must not be given away. */
function goneIn(body: string | undefined): readonly string[] {
  const value = body === undefined ? undefined : parsed(body);
  const gone = isRecord(value) ? value["gone"] : undefined;
  return Array.isArray(gone) ? gone.map(String) : [];
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new RuntimeError(
      "config.unreadable",
      `${NAME} of the state directory cannot be read (${messageOf(error)}). Repair it, or remove it: then names of people who are gone are free again.`,
    );
  }
}
