// Tool calls of a chat stream, put together from pieces that may lack an id, an index or a whole name.
import { asRecord } from "../model/failure-text.ts";
import type { CallSink } from "../model/wire/answer.ts";

interface Call {
  /** Position in the answer, without gaps. */
  readonly position: number;
  id: string | undefined;
  name: string;
  /** Said; from here on the name is settled. */
  sink: CallSink | undefined;
  signature: string | undefined;
  held: string[];
  /** Tail of the arguments, enough to see whether an object was closed. */
  last: string;
}
interface Piece {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string;
  readonly text: string;
  readonly signature: string | undefined;
}
interface Following {
  readonly open: (name: string) => CallSink;
  readonly calls: Call[];
  readonly byIndex: Map<number, Call>;
  readonly byId: Map<string, Call>;
}

/** Calls that are followed: more than anybody runs, so that whoever counts them sees that there were too many. */
const MAX_FOLLOWED = 256;
const MAX_NAME_CHARS = 16 * 1024;

export interface ChatCalls {
  take(delta: unknown): void;
  /** Says the arguments held to be joined. */
  flush(): void;
  /** Says calls that never got arguments or a name, and that all of them are complete. */
  end(): void;
}

/** @param open Told of a call once its name is complete. */
export function chatCalls(open: (name: string) => CallSink): ChatCalls {
  const following: Following = { open, calls: [], byIndex: new Map(), byId: new Map() };
  const { calls } = following;
  return {
    take: (delta) => {
      const piece = pieceOf(delta);
      if (piece !== undefined) take(following, piece);
    },
    flush: () => {
      for (const call of calls) if (call.held.length > 0) flush(following, call);
    },
    end: () => {
      for (const call of calls) {
        if (call.sink === undefined) start(following, call);
        flush(following, call);
      }
      for (const { sink, signature } of calls)
        sink?.end(
          undefined,
          signature === undefined ? undefined : { openaiCompatible: { thoughtSignature: signature } },
        );
    },
  };
}

function take(following: Following, piece: Piece): void {
  const { calls, byIndex, byId } = following;
  const { index, id, name, text } = piece;
  const known = ownerOf(following, piece);
  if (known === undefined && calls.length >= MAX_FOLLOWED) return;
  const call = known ?? opened(calls, id);
  if (index !== undefined) byIndex.set(index, call);
  if (id !== undefined) {
    call.id ??= id;
    byId.set(id, call);
  }
  const open = call.sink === undefined && name !== "";
  if (open && call.held.length === 0 && name !== call.name) call.name = (call.name + name).slice(0, MAX_NAME_CHARS);
  else if (open && call.name === "") call.name = name;
  if (piece.signature !== undefined) call.signature = piece.signature;
  if (text === "") return;
  for (const other of calls) if (other !== call && other.held.length > 0) flush(following, other);
  call.held.push(text);
  call.last = text.length > 16 ? text.slice(-16) : (call.last + text).slice(-16);
}

function opened(calls: Call[], id: string | undefined): Call {
  const call: Call = {
    position: calls.length,
    id,
    name: "",
    sink: undefined,
    signature: undefined,
    held: [],
    last: "",
  };
  calls.push(call);
  return call;
}

/** The call a piece belongs to, or undefined for a new one. */
function ownerOf({ calls, byIndex, byId }: Following, { index, id, name }: Piece): Call | undefined {
  const known = index === undefined ? undefined : byIndex.get(index);
  if (known !== undefined) {
    // Some servers give every call index 0: another id, or a name after finished arguments, is another call.
    if (id !== undefined && known.id !== undefined && id !== known.id && name !== "") return undefined;
    return name !== "" && isComplete(known) ? undefined : known;
  }
  if (index !== undefined) return undefined;
  if (id !== undefined) {
    const same = byId.get(id);
    return same !== undefined && name !== "" && isComplete(same) ? undefined : same;
  }
  return name === "" ? calls.at(-1) : undefined;
}

function isComplete(call: Call): boolean {
  return call.sink !== undefined && call.last.trimEnd().endsWith("}");
}

function start(following: Following, call: Call): void {
  // In order of appearance: an earlier call without arguments goes first.
  for (const earlier of following.calls.slice(0, call.position))
    if (earlier.sink === undefined && earlier.name !== "") start(following, earlier);
  call.sink ??= following.open(call.name);
}

function flush(following: Following, call: Call): void {
  if (call.held.length === 0) return;
  if (call.sink === undefined) {
    if (call.name === "") return; // The name may still come.
    start(following, call);
  }
  const text = call.held.join("");
  call.held = [];
  call.sink?.add(text);
}

function pieceOf(delta: unknown): Piece | undefined {
  const piece = asRecord(delta);
  if (piece === undefined) return undefined;
  const fn = asRecord(piece["function"]) ?? piece;
  const signature = asRecord(asRecord(piece["extra_content"])?.["google"])?.["thought_signature"];
  return {
    index: typeof piece["index"] === "number" ? piece["index"] : undefined,
    id: typeof piece["id"] === "string" && piece["id"] !== "" ? piece["id"] : undefined,
    name: typeof fn["name"] === "string" ? fn["name"] : "",
    text: argumentText(fn["arguments"]),
    signature: typeof signature === "string" && signature !== "" ? signature : undefined,
  };
}

/** Some servers send the arguments as an object. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return asRecord(value) === undefined ? "" : JSON.stringify(value);
}
