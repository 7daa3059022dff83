// Tool calls of a chat stream, put together from pieces that may lack an id, an index or a whole name.
import { asRecord } from "../failure-text.ts";
import { NAMELESS } from "./wire.ts";
import type { WireEvent } from "./wire.ts";

interface Call {
  /** Position in the answer, without gaps. */
  readonly position: number;
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  /** Sent on; from here on the name is settled. */
  started: boolean;
  signature: string | undefined;
  held: string[];
  /** Tail of the arguments, enough to see whether an object was closed. */
  last: string;
}

/** Calls that are followed: more than anybody runs, so that whoever counts them sees that there were too many. */
const MAX_FOLLOWED = 256;
const MAX_NAME_CHARS = 16 * 1024;

export interface ChatCalls {
  take(delta: unknown): void;
  /** Sends the arguments held to be joined. */
  flush(): void;
  /** Sends calls that never got arguments or a name. */
  end(): void;
}

/** @param send Takes strict call deltas: own index and id, the name once and complete, then arguments. */
export function chatCalls(send: (call: WireEvent) => void): ChatCalls {
  const calls: Call[] = [];
  const byIndex = new Map<number, Call>();
  const byId = new Map<string, Call>();

  const open = (index: number | undefined, id: string | undefined, name: string): Call => {
    const call: Call = {
      position: calls.length,
      index,
      id,
      name,
      started: false,
      signature: undefined,
      held: [],
      last: "",
    };
    calls.push(call);
    return call;
  };
  /** The call a piece belongs to, or undefined for a new one. */
  const owner = (index: number | undefined, id: string | undefined, name: string): Call | undefined => {
    const known = index === undefined ? undefined : byIndex.get(index);
    if (known !== undefined) {
      // Some servers give every call index 0: another id, or a name after finished arguments, is another call.
      if (id !== undefined && known.id !== undefined && id !== known.id && name !== "") return undefined;
      if (name !== "" && known.started && known.last.trimEnd().endsWith("}")) return undefined;
      return known;
    }
    if (index !== undefined) return undefined;
    if (id !== undefined) {
      const same = byId.get(id);
      return same !== undefined && name !== "" && same.started && same.last.trimEnd().endsWith("}") ? undefined : same;
    }
    return name === "" ? calls.at(-1) : undefined;
  };
  const start = (call: Call): void => {
    call.started = true;
    // In order of appearance: an earlier call without arguments goes first.
    for (const earlier of calls.slice(0, call.position)) if (!earlier.started && earlier.name !== "") start(earlier);
    send({
      index: call.position,
      id: `c${call.position}`,
      function: { name: call.name.trim() === "" ? NAMELESS : call.name, arguments: "" },
      ...(call.signature !== undefined && { extra_content: { google: { thought_signature: call.signature } } }),
    });
  };
  const flushCall = (call: Call): void => {
    if (call.held.length === 0) return;
    if (!call.started) {
      if (call.name === "") return; // The name may still come.
      start(call);
    }
    const text = call.held.join("");
    call.held = [];
    send({ index: call.position, function: { arguments: text } });
  };

  const take = (delta: unknown): void => {
    const piece = asRecord(delta);
    if (piece === undefined) return;
    const fn = asRecord(piece["function"]) ?? piece;
    const index = typeof piece["index"] === "number" ? piece["index"] : undefined;
    const id = typeof piece["id"] === "string" && piece["id"] !== "" ? piece["id"] : undefined;
    const name = typeof fn["name"] === "string" ? fn["name"] : "";
    const known = owner(index, id, name);
    if (known === undefined && calls.length >= MAX_FOLLOWED) return;
    const call = known ?? open(index, id, "");
    if (index !== undefined) byIndex.set(index, call);
    if (id !== undefined) {
      call.id ??= id;
      byId.set(id, call);
    }
    if (name !== "" && !call.started && call.held.length === 0 && name !== call.name)
      call.name = (call.name + name).slice(0, MAX_NAME_CHARS);
    else if (name !== "" && !call.started && call.name === "") call.name = name;
    const google = asRecord(asRecord(piece["extra_content"])?.["google"]);
    if (typeof google?.["thought_signature"] === "string") call.signature = google["thought_signature"];
    const text = argumentText(fn["arguments"]);
    if (text === "") return;
    for (const other of calls) if (other !== call && other.held.length > 0) flushCall(other);
    call.held.push(text);
    call.last = text.length > 16 ? text.slice(-16) : (call.last + text).slice(-16);
  };
  return {
    take,
    flush: () => {
      for (const call of calls) if (call.held.length > 0) flushCall(call);
    },
    end: () => {
      for (const call of calls) {
        if (!call.started) start(call);
        flushCall(call);
      }
    },
  };
}

/** Some servers send the arguments as an object. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return asRecord(value) === undefined ? "" : JSON.stringify(value);
}
