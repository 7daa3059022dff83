/** What the terminal chat needs from the program that starts it. */
import type { Agent, Sender } from "@margay/core";
import type { ChatAgent, ReplySource } from "../sessions/chat-agent.ts";
import type { Language } from "../../texts/text.ts";

export interface ChatApp {
  readonly agent: ChatAgent;
  /** The `cli` channel the agent was composed with: where replies come out. */
  readonly terminal: ReplySource;
  /** No model is connected. Asked at every drawing. */
  readonly practice: () => boolean;
  readonly language: Language;
  /** What this person types for `margay`. Default: that. */
  readonly command?: string;
  readonly workspace: string;
  /** Where it begins, and later the one that is shown: whoever goes on after this process is told. */
  readonly sessionKey: string;
  /** Told the conversation that is shown from now on. */
  readonly moved?: (key: string) => void;
  /** It begins with the choice of a conversation. */
  readonly chooses?: boolean;
  /** The state directory: history and keys are there. Absent: neither is kept. */
  readonly home?: string;
  /** For the editor and the shell of the person. Default: nothing. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Takes a picture. Absent: none can be attached. */
  readonly put?: Agent["blobs"]["put"];
  /** What commands ask of the process that holds the lock, by name. Absent: it is not there. */
  readonly operate?: (name: string, input: unknown) => Promise<unknown>;
  /** Schedules wait for somebody who says `/resume`. */
  readonly held?: () => boolean;
  /** Who types. Default: the operator at the terminal. */
  readonly sender?: Sender;
  /** The agent is of another process: leaving ends nothing, and when it aborts that process is gone. */
  readonly lost?: AbortSignal;
  /** Told once what to call when the model or a setting of the agent changed. */
  readonly whenConfigured?: (redraw: () => void) => void;
}

export interface ChatOptions {
  /** Default true. */
  readonly color?: boolean;
  readonly signal?: AbortSignal;
  /** Once `signal` is aborted: whether a person asked for that, who wants the turn to end too. */
  readonly interrupted?: () => boolean;
}
