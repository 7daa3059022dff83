/** The archives of the account and of rooms (XEP-0313): what was said while nobody listened, and what we have sent. */
import { randomUUID } from "node:crypto";
import { fieldOf } from "./faults.ts";
import type { Link } from "./link.ts";
import { type Archived, NS, type Stanza, stampOf } from "./names.ts";

/** Which part of which archive. */
export interface Range {
  /** Whose: of a room, or our account's bare address. */
  readonly of: string;
  /** Whether that is a room. */
  readonly isRoom: boolean;
  /** Behind this message. */
  readonly after?: string;
  readonly start?: number;
  /** Exchanged with this address. */
  readonly with?: string;
}

const PAGE = 50;

/** Whether there is one. */
export async function hasArchive(link: Link, of: string): Promise<boolean> {
  return (await featuresOf(link, of)).includes(NS.archive);
}

/** What a server, an account or a room says that it can; nothing when it does not answer. @throws when the connection ended. */
export async function featuresOf(link: Link, of: string): Promise<readonly string[]> {
  const { xml } = link;
  try {
    const answer = await link.request(xml("iq", { type: "get", to: of }, xml("query", { xmlns: NS.info })));
    const features = answer.getChild("query", NS.info)?.getChildren("feature") ?? [];
    return features.flatMap(({ attrs }) => attrs["var"] ?? []);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [];
  }
}

/** Oldest first. */
export async function* readArchive(link: Link, range: Range): AsyncGenerator<Archived> {
  let { after } = range;
  for (;;) {
    const { page, isLast } = await askPage(link, { ...range, ...(after !== undefined && { after }) }, PAGE);
    yield* page;
    after = page.at(-1)?.id;
    if (isLast || after === undefined) return;
  }
}

/** The newest first: what was sent a moment ago is found at once. */
export async function* readBackwards(link: Link, range: Range): AsyncGenerator<Archived> {
  let before = "";
  for (;;) {
    const { page, isLast } = await askPage(link, range, PAGE, before);
    yield* page.toReversed();
    const first = page[0]?.id;
    if (isLast || first === undefined) return;
    before = first;
  }
}

/** The id of the newest message. */
export async function newestOf(link: Link, of: string, isRoom: boolean): Promise<string | undefined> {
  const { page } = await askPage(link, { of, isRoom }, 1, "");
  return page.at(-1)?.id;
}

/** The message behind which was to be read is not there any more. */
export function isUnknown(error: unknown): boolean {
  return isRefusal(error) && fieldOf(error, "condition") === "item-not-found";
}

/** The server answered, and it was a no. */
export function isRefusal(error: unknown): boolean {
  return fieldOf(error, "name") === "StanzaError";
}

async function askPage(
  link: Link,
  { of, isRoom, after, start, with: who }: Range,
  max: number,
  before?: string,
): Promise<{ readonly page: readonly Archived[]; readonly isLast: boolean }> {
  const { xml } = link;
  const query = randomUUID();
  const page: Archived[] = [];
  // Anybody can send something that looks like a result.
  using _collector = link.collect(query, (result, from) => {
    const found = from === of ? archivedOf(result) : undefined;
    if (found !== undefined) page.push(found);
  });
  const field = (name: string, value: string, type?: string): ReturnType<typeof xml> =>
    xml("field", { var: name, ...(type !== undefined && { type }) }, xml("value", {}, value));
  const answer = await link.request(
    xml(
      "iq",
      { type: "set", ...(isRoom && { to: of }) },
      xml(
        "query",
        { xmlns: NS.archive, queryid: query },
        xml(
          "x",
          { xmlns: NS.form, type: "submit" },
          field("FORM_TYPE", NS.archive, "hidden"),
          ...(start === undefined ? [] : [field("start", new Date(start).toISOString())]),
          ...(who === undefined ? [] : [field("with", who)]),
        ),
        xml(
          "set",
          { xmlns: NS.page },
          xml("max", {}, String(max)),
          ...(after === undefined ? [] : [xml("after", {}, after)]),
          ...(before === undefined ? [] : [xml("before", {}, before)]),
        ),
      ),
    ),
  );
  return { page, isLast: answer.getChild("fin", NS.archive)?.attrs["complete"] === "true" };
}

function archivedOf(result: Stanza): Archived | undefined {
  const forwarded = result.getChild("forwarded", NS.forward);
  const stanza = forwarded?.getChild("message");
  const { id } = result.attrs;
  if (stanza === undefined || id === undefined) return undefined;
  return { id, stanza, at: stampOf(forwarded?.getChild("delay", NS.delay)) };
}
