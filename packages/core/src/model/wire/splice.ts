// The bytes of a long history, put into a request's body where it says so: the AI SDK converts each message once.
import type { LanguageModelV4Message } from "@ai-sdk/provider";

/** Names the ticket of a request on its way to the splicing `fetch`, which takes the header off. */
const HEADER = "x-margay-history";

/** A place in the prompt, marked by two rows that no history has and the body that is sent does not have either. */
export interface Cut {
  /** What stands there instead: JSON elements, each behind its comma. */
  readonly known: readonly Uint8Array[];
  /** Gets the same form of what the adapter made of the rows between this cut and the next. */
  readonly learn?: (bytes: Uint8Array) => void;
}

/** One request. */
export interface Ticket {
  readonly headers: Readonly<Record<string, string>>;
  /** Places the next cut. An answer and a question: neither merges with what stands before or behind them. */
  rows(cut: Cut): readonly LanguageModelV4Message[];
  /** True when the body did not show the cuts as they must look; nothing was sent then. */
  readonly refused: boolean;
  close(): void;
}

export interface Splicer {
  /** To be the innermost `fetch`: what it sends is final. */
  fetch(inner: typeof fetch): typeof fetch;
  open(): Ticket;
  /** Settled text of fewer characters is converted again with every request: two more cuts cost as much. */
  readonly minChars: number;
}

interface Pending {
  readonly id: string;
  readonly cuts: Cut[];
  refused: boolean;
}

/** A Splicer whose `fetch` the models must use that its tickets go to. */
export function createSplicer(minChars: number = 16 * 1024): Splicer {
  const pending = new Map<string, Pending>();
  let count = 0;
  const open = (): Ticket => {
    const ticket: Pending = { id: String(++count), cuts: [], refused: false };
    pending.set(ticket.id, ticket);
    return {
      get headers(): Readonly<Record<string, string>> {
        return ticket.cuts.length > 0 ? { [HEADER]: ticket.id } : {};
      },
      rows: (cut) => {
        ticket.cuts.push(cut);
        const text = cutText(ticket, ticket.cuts.length - 1);
        return [
          { role: "assistant", content: [{ type: "text", text: `${text}a` }] },
          { role: "user", content: [{ type: "text", text: `${text}b` }] },
        ];
      },
      get refused() {
        return ticket.refused;
      },
      close: () => void pending.delete(ticket.id),
    };
  };
  const send = async (inner: typeof fetch, input: string | URL | Request, init: RequestInit): Promise<Response> => {
    // The adapters hand over a plain object.
    const { [HEADER]: id, ...headers } = init.headers as Readonly<Record<string, string>>;
    const ticket = pending.get(id ?? "");
    if (ticket === undefined || typeof init.body !== "string") return await inner(input, { ...init, headers });
    const body = splice(init.body, ticket);
    if (body === undefined) {
      ticket.refused = true;
      throw new TypeError("The cuts are not where they belong.");
    }
    return await inner(input, { ...init, headers, body });
  };
  return {
    open,
    minChars,
    fetch: (inner) =>
      ((input: string | URL | Request, init: RequestInit = {}) =>
        hasTicket(init.headers) ? send(inner, input, init) : inner(input, init)) as typeof fetch,
  };
}

function hasTicket(headers: RequestInit["headers"]): boolean {
  return typeof headers === "object" && HEADER in headers;
}

function cutText(ticket: Pending, at: number): string {
  return `margay cut ${ticket.id}.${at}`;
}

/** The body with known bytes for its cuts, or undefined when one is not found exactly once and exactly so. */
function splice(body: string, ticket: Pending): Uint8Array<ArrayBuffer> | undefined {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  const learned: (() => void)[] = [];
  let from = 0; // Where the text behind the last cut begins.
  let learn: Cut["learn"];
  const add = (to: number): void => {
    const bytes = encoder.encode(body.slice(from, to));
    pieces.push(bytes);
    const told = learn;
    if (told !== undefined) learned.push(() => told(bytes));
  };
  for (const [at, cut] of ticket.cuts.entries()) {
    const answer = elementAt(body, `${cutText(ticket, at)}a`);
    const question = elementAt(body, `${cutText(ticket, at)}b`);
    if (answer === undefined || question === undefined || answer.from <= from) return undefined;
    if (body[answer.from - 1] !== "," || body.slice(answer.to, question.from) !== "," || body[question.to] !== ",")
      return undefined;
    add(answer.from - 1);
    pieces.push(...cut.known);
    from = question.to;
    learn = cut.learn;
  }
  learn = undefined;
  add(body.length);
  for (const tell of learned) tell();
  return concat(pieces);
}

/** The JSON object with nothing but a role and this text. */
function elementAt(body: string, text: string): { readonly from: number; readonly to: number } | undefined {
  const at = body.indexOf(text);
  if (at < 0 || body.includes(text, at + 1)) return undefined;
  const from = body.lastIndexOf('{"role":', at);
  if (from < 0) return undefined;
  const closing = [...body.slice(from, at).replace(/[^[{]/g, "")]
    .toReversed()
    .map((open) => (open === "{" ? "}" : "]"));
  const end = `"${closing.join("")}`;
  const behind = at + text.length;
  return body.startsWith(end, behind) ? { from, to: behind + end.length } : undefined;
}

function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
