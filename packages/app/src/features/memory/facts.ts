/** MEMORY.md line by line: what is said, and who put it there. */
import { bareLine, sha256, type WrittenLine } from "@margay/core/internal";
import type { z } from "zod";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import type { MemoryFacts } from "./schema.ts";
import { hiddenFrom, holdingsFor, type Caller } from "../../host/sessions/access.ts";
import { isSourced, type MemoryFile } from "./files.ts";
import { versionsOf } from "./versions.ts";

type Fact = z.input<typeof MemoryFacts>["items"][number];

interface Origin extends WrittenLine {
  readonly session: string;
  readonly key: string;
}

/** @param text What the file says now. */
export async function factsIn(text: string, file: MemoryFile, caller: Caller): Promise<readonly Fact[]> {
  const isHidden = await hiddenFrom(caller);
  const texts = new Map(versionsOf(file, text, holdingsFor(caller)).map((one) => [one.hash, one.text]));
  texts.set(sha256(text), text);
  /** A consolidation answers with the whole file: what it was shown is not its own. */
  const repeated = (saw: string): ReadonlySet<string> => new Set((texts.get(saw) ?? "").split("\n").map(bareLine));
  const known = new Map<string, ReadonlySet<string>>();
  const first = new Map<string, Origin>();
  for (const { id, key, remembered } of await caller.services.once(openJournalFacts).all())
    for (const written of isHidden(id) ? [] : remembered) {
      const { line, at, saw } = written;
      if (saw !== undefined && !known.has(saw)) known.set(saw, repeated(saw));
      if (saw !== undefined && known.get(saw)?.has(line) === true) continue;
      if (at < (first.get(line)?.at ?? Infinity)) first.set(line, { ...written, session: id, key });
    }
  let section: string | undefined;
  return text.split("\n").flatMap((whole, index): readonly Fact[] => {
    const heading = /^#{1,6}\s+(.*)$/.exec(whole)?.[1]?.trim();
    if (heading !== undefined) section = heading;
    const line = bareLine(whole);
    if (line === "" || heading !== undefined) return [];
    const fact = {
      line: index + 1,
      text: line,
      untrusted: isSourced(whole),
      ...(section !== undefined && { section }),
    };
    return [{ ...fact, origin: originOf(first.get(line)) }];
  });
}

function originOf(origin: Origin | undefined): Fact["origin"] {
  if (origin === undefined) return { by: "person" };
  const { by, at, session, key, item } = origin;
  return { by, at, session, key, ...(item !== undefined && { item }) };
}
