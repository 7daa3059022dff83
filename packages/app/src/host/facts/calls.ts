/** Every tool call of one session as the history lists it: bounded, without its result. */
import { firstOf } from "@margay/core/internal";
import { createView } from "@margay/core/state";
import { cutCommit, type CallView, type Commit, type SessionId } from "@margay/core/internal/state";

export interface FoundCall extends Omit<CallView, "result" | "details" | "approval"> {
  /** Of the commit that asked for it. */
  readonly at: number;
  /** Of the session. */
  readonly key: string;
  readonly origin: "main" | "subagent" | "mcp";
  /** What the person wanted when the call was made. */
  readonly userMessage: string;
}

export interface CallFold {
  found(session: { readonly key: string; readonly parent: object | undefined }): readonly FoundCall[];
  apply(commit: Commit): void;
}

const MAX_USER_CHARS = 500;

export function createCallFold(session: SessionId): CallFold {
  const view = createView(session);
  /** Commits of the original of a fork: its calls are listed there. */
  let copied = 0;
  return {
    found: ({ key, parent }) => {
      const wanted = new Map<string, string>();
      return view.items.flatMap((item) => {
        if (item.kind === "user" && item.turn !== undefined)
          wanted.set(item.turn, [wanted.get(item.turn), ...item.parts.map(partText)].filter(isText).join("\n"));
        if (item.kind !== "assistant") return [];
        return item.parts.flatMap((part): readonly FoundCall[] => {
          if (part.type !== "call" || part.call.seq <= copied) return [];
          const { result: _result, details: _details, approval: _approval, ...call } = part.call;
          const origin = call.name.startsWith("mcp_") ? "mcp" : parent === undefined ? "main" : "subagent";
          const userMessage = (wanted.get(call.turn) ?? "").slice(0, MAX_USER_CHARS);
          return [{ ...call, at: item.at, key, origin, userMessage }];
        });
      });
    },
    apply: (commit) => {
      copied = firstOf(commit.records, "session.opened")?.forked?.commits ?? copied;
      view.apply(cutCommit(session, commit));
    },
  };
}

function partText(part: { readonly type: string; readonly text?: string }): string | undefined {
  return part.text;
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
