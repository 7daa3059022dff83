/** What practice mode can be asked for: one sentence becomes a few of these. */
export type Intent =
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "read"; readonly path: string; readonly about: boolean }
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "append"; readonly path: string; readonly content: string }
  | { readonly kind: "edit"; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly kind: "search-files"; readonly text: string; readonly path?: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "search-web"; readonly query: string }
  | { readonly kind: "fetch"; readonly url: string; readonly about: boolean }
  | { readonly kind: "remember"; readonly text: string }
  | { readonly kind: "recall"; readonly query: string }
  | { readonly kind: "schedule"; readonly when: When; readonly message: string; readonly reminder: boolean }
  | { readonly kind: "list-jobs" }
  | { readonly kind: "remove-job"; readonly id: string }
  | { readonly kind: "spawn"; readonly task: string }
  | { readonly kind: "use-skill"; readonly name: string }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "help" | "hello" | "thanks" | "identity" | "time" };

/** When a job runs. `in` and `at` are resolved against the clock notice of the turn. */
export type When =
  | { readonly type: "cron"; readonly expression: string }
  | { readonly type: "every"; readonly seconds: number }
  | { readonly type: "in"; readonly seconds: number }
  /** `day`: 0 today, 1 tomorrow; undefined: the next time the clock shows it. */
  | { readonly type: "at"; readonly day?: number; readonly hour: number; readonly minute: number };

/** One way to say something. `swallow`: how much of what follows belongs to it when it cannot stand alone. */
export interface Rule {
  readonly pattern: RegExp;
  /** `rest`: everything after it is its content. `unknown`: only what is no sentence of its own. */
  readonly swallow?: "rest" | "unknown";
  /** @returns undefined when the words fit but the sense does not. */
  readonly intent: (groups: Readonly<Record<string, string | undefined>>) => Intent | undefined;
}
