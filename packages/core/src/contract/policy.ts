import type { Millis } from "./base.ts";
import type { Grant, CallFiles } from "./grant.ts";
import type { Address, ToolCallPart } from "./message.ts";
import type { InboundMessage } from "./bus.ts";
import type { PersonId } from "./people.ts";
import type { SessionState } from "./session.ts";
import type { Effect, Reach } from "./tool.ts";

/** `rule` names what decided, for the audit log. */
export type Verdict =
  /** `by`: who made the rule, when a person did in answering an earlier question. */
  | { readonly kind: "allow"; readonly rule: string; readonly by?: string }
  | { readonly kind: "deny"; readonly rule: string; readonly reason: string }
  | {
      readonly kind: "ask";
      readonly rule: string;
      readonly prompt: string;
      readonly expiresInMs: number;
      /** Why it asks, as one sentence. */
      readonly why?: string;
      /** What could go wrong, as codes. */
      readonly risks?: readonly string[];
      /** What a yes can be remembered for; absent: it is asked each time. */
      readonly grant?: Grant;
      /** Whose word it needs, where that is not the owner in a chat of theirs; and what the chat is told when they do not read it: `""` for nothing. */
      readonly of?: { readonly person: PersonId; readonly told?: string };
    };

export interface JudgeContext {
  /** Its `label` is that of the prompt which the call answers. */
  readonly state: SessionState;
  readonly origin: Address;
  /** Unattended: nobody can answer, so `ask` becomes `deny`. */
  readonly attended: boolean;
  /** Undefined for a tool that does not exist. */
  readonly effect: Effect | undefined;
  readonly callFiles?: CallFiles;
  /** Of a plugin's tool. */ readonly reach?: Reach;
}
export type Admission = { readonly ok: true } | { readonly ok: false; readonly reason: string; readonly answer?: string };
export interface Policy {
  /** Who may talk to the agent. */
  admit(message: InboundMessage): Promise<Admission>;
  /** What the agent may do. Once per proposed call; the answer is journaled. */
  judge(call: ToolCallPart, context: JudgeContext): Verdict | Promise<Verdict>;
  /**
   * Who said yes earlier to what a running call asks for. A rule for all conversations holds for work without a person too, an answer
   * in this one does not. Absent: nothing is remembered.
   */
  covered?(grant: Grant, context: Pick<JudgeContext, "state" | "attended">): { readonly by: string } | undefined;
  /** For how long a question stays open. Absent: five minutes. */
  questionMs?(): Millis;
  /** Keeps a yes for all conversations, durably. Absent: there is nowhere to keep it. */
  remember?(grant: Grant, by: string): void | Promise<void>;
}
