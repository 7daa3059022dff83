/** What an agent stands on: each part as given in the options, or its default. */
import { classifyCommand, compileLists } from "./builtin/exec/lists.ts";
import { createContext } from "./context/context.ts";
import { project } from "./context/project.ts";
import type { AgentOptions, AgentSettings } from "./contract/agent-options.ts";
import type { Clock, Ids, Logger } from "./contract/base.ts";
import type { Policy } from "./contract/policy.ts";
import type { SecretGuard } from "./contract/services.ts";
import type { BlobStore, ContextBuilder } from "./contract/services.ts";
import { openFileStore } from "./file-store.ts";
import type { Ledger } from "./contract/spending.ts";
import type { SessionStore, Store } from "./contract/store.ts";
import type { ToolRegistry } from "./contract/tool.ts";
import { createLedger } from "./loop/spending/ledger.ts";
import { spendingSince } from "./loop/spending/spending.ts";
import { classifyPath } from "./lib/paths/path-class.ts";
import { systemClock } from "./machine/system/clock.ts";
import { environment, readTextFile } from "./machine/system/environment.ts";
import { sha256 } from "./machine/system/hash.ts";
import { systemIds } from "./machine/system/ids.ts";
import { silentLog } from "./machine/system/log.ts";
import { createReading, type Reading } from "./people/reading.ts";
import { createWhoseWord } from "./people/whose-word.ts";
import { boundHash } from "./loop/questions/binding.ts";
import { createPolicy } from "./policy/policy.ts";
import { openSessions } from "./session/sessions.ts";
import { createRegistry } from "./tools/registry.ts";

export interface AgentServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  readonly secrets: SecretGuard;
  readonly tools: ToolRegistry;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly sessions: SessionStore;
  readonly ledger: Ledger;
  readonly policy: Policy;
  readonly context: ContextBuilder;
  /** Undefined: everybody who is admitted reads what the operator may. */
  readonly reading: Reading | undefined;
}

const NO_SECRETS: SecretGuard = {
  redactKnown: (text) => text,
  stream: () => ({ push: (text) => text, end: () => "" }),
};

/** @throws RuntimeError `tool.duplicate`. */
export function openServices(options: AgentOptions, settings: () => AgentSettings): AgentServices {
  const log = options.log ?? silentLog;
  const own = options.clock ?? systemClock();
  const store = options.store ?? openFileStore(options.directory, { clock: own, log });
  const clock = store.now === undefined ? own : { ...own, now: store.now };
  const redact = options.redact ?? ((text: string) => text);
  const tools =
    options.tools !== undefined && "list" in options.tools ? options.tools : createRegistry(options.tools ?? []);
  const { people } = options;
  const reading = people && createReading({ people, language: () => settings().language });
  const policy =
    options.policy ??
    createPolicy({
      approvalTimeoutMs: () => settings().approvalTimeoutMs,
      sandboxed: () => false,
      classifyPath: (path) => classifyPath(options.workspace, path, [options.directory]),
      classifyCommand: (text) => classifyCommand(text, compileLists([], [])),
    });
  const ofOthers = createWhoseWord(policy, {
    language: () => settings().language,
    bound: (state, call, files) => boundHash(state, call, files, sha256),
    now: clock.now,
    people: options.people,
  });
  const sessions =
    options.sessions ??
    openSessions({
      journals: store.journals,
      ...(store.bus !== undefined && { bus: store.bus }),
      clock,
      observers: options.observers ?? [],
    });
  return {
    clock,
    ids: options.ids ?? systemIds(),
    log,
    store,
    redact,
    secrets: options.secrets ?? NO_SECRETS,
    tools,
    blobs: options.blobs ?? store.blobs,
    sessions,
    ledger: store.ledger ?? createLedger({ clock, spent: (since) => spendingSince(sessions, since) }),
    policy: reading?.guarded(policy, ofOthers) ?? policy,
    reading,
    context:
      options.context ??
      createContext({
        workspace: options.workspace,
        tools: () => tools.list(),
        clock,
        timeZone: settings().timeZone,
        language: settings().language,
        persona: { name: "margay" },
        environment: environment(),
        readFile: readTextFile(options.workspace),
        hash: sha256,
        project,
        redact,
      }),
  };
}
