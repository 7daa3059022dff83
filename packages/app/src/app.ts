/** What compose.ts hands to the commands, the chat and the gateway. Types only. */
import type {
  Agent,
  Channel,
  Clock,
  Commit,
  CronService,
  GreetingService,
  HeartbeatService,
  Logger,
  Memory,
  Policy,
  RuntimeError,
  ToolRegistry,
} from "@margay/core";
import type {
  Ids,
  Millis,
  Notifications,
  Recall,
  ScheduleTarget,
  SessionId,
  Journals,
  LabelledFiles,
  Quarantine,
  SavedRules,
  Shares,
  ServerReviews,
} from "@margay/core/internal";
import type { Sandbox, Skills } from "@margay/core/internal";
import type { AudienceAt } from "./host/readers.ts";
import type { OpenPages } from "./host/live/pages.ts";
import type { Pairing } from "./host/pairing.ts";
import type { AppAudit } from "./host/audit-events.ts";
import type { Supervision } from "./features/people/supervision.ts";
import type { TerminalChannel } from "./features/channels/terminal.ts";
import type { WatchedChannels } from "./features/channels/watched.ts";
import type { CommitTimes } from "./compose/commit-times.ts";
import type { Loaded } from "./config/load.ts";
import type { Language } from "./texts/text.ts";
import type { StopFlagFile } from "./features/emergency-stop/service.ts";
import type { Personas } from "./features/personas/service.ts";
import type { Mcp } from "./features/mcp/client/servers.ts";
import type { ScheduleHold } from "./host/schedule-hold.ts";
import type { SessionFeed } from "./host/live/session-feed.ts";
import type { WorkspaceUndo } from "./features/undo/service.ts";

export interface App extends AsyncDisposable {
  readonly agent: Agent;
  /** The `cli` channel: a view attaches to it and gets the replies that waited. */
  readonly terminal: TerminalChannel;
  /** Jobs, heartbeat, greeting: they run in a process that stays, see start-chat.ts. */
  readonly schedule: AppSchedule;
  readonly audit: AppAudit;
  /** The configuration the agent was built from, with its places on disk. */
  readonly loaded: Loaded;
  readonly language: Language;
  /** True while no model is configured: answers come from practice mode, and every surface says so. */
  readonly practice: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** What the person who started this types for `margay`. */
  readonly command: string;
  /**
   * A changed configuration, from the next turn on: all keys that are not marked `restart`.
   * @throws RuntimeError `provider.unknown`, `plugin.missing`: nothing was changed.
   */
  configure(loaded: Loaded): void;
  /** True when the last process did not end cleanly. */
  readonly unclean: boolean;
  /** What only the gateway looks into. */
  readonly inside: AppInside;
}

/** What one room keeps: the owner's is the home itself. */
export interface Holdings {
  readonly memory: Memory;
  /** Over its memory and the conversations that are read there. */
  readonly recall: Recall;
  readonly workspace: string;
  /** Where earlier versions of its files lie. */
  readonly state: string;
}

/** Parts the agent was built from. */
export interface AppInside {
  /** The configuration that holds now; `loaded` is that of the start. */
  readonly loaded: () => Loaded;
  /** Of the room of a person; without one the owner's. */
  readonly holdingsOf: (person: string | undefined) => Holdings;
  readonly skills: Skills;
  readonly pairing: Pairing;
  /** Who reads a chat. */
  readonly audienceAt: AudienceAt;
  /** Chat platforms, and how they are doing. */
  readonly platforms: WatchedChannels;
  /** What the person should look at. */
  readonly notifications: Notifications;
  /** Who looks at what stands on the pages alone. */
  readonly pages: OpenPages;
  readonly stopFlag: StopFlagFile;
  /** What is scheduled waits for a person, after crashes. */
  readonly hold: ScheduleHold;
  readonly personas: Personas;
  readonly policy: Policy;
  /** What confines commands. */
  readonly sandbox: Sandbox;
  /** Answers that hold for all conversations. */
  readonly savedRules: SavedRules;
  /** What persons let others have without being asked. */
  readonly shares: Shares;
  /** Whose conversations the owner reads without opening them. */
  readonly supervision: Pick<Supervision, "isOn">;
  /** What turns did to the workspace. */
  readonly undo: WorkspaceUndo;
  /** Files of the workspace that count as strangers' text. */
  readonly labelledFiles: LabelledFiles;
  readonly quarantine: Quarantine;
  readonly serverReviews: ServerReviews;
  /** With those of MCP servers. */
  readonly tools: ToolRegistry;
  readonly mcp: Mcp | undefined;
  /** Told when something changed with a server. @returns the function that ends it. */
  readonly watchMcp: (changed: (server: string) => void) => () => void;
  /** Told when `loaded` is another one. */
  readonly watchConfig: (changed: () => void) => () => void;
  /** All commits of a session, from its journal. */
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  /** Of all journals there are. */
  readonly sessionIds: () => Promise<readonly SessionId[]>;
  /** What a start finds out about journals without reading them. */
  readonly journals: Pick<Journals, "has" | "stamps" | "stampAt" | "cache">;
  /** Why conversations can't be opened or written just now. */
  readonly storageFault: () => RuntimeError | undefined;
  readonly feed: SessionFeed;
  readonly commitTimes: CommitTimes;
  /** Attachments that were put before then and that no conversation names. @returns how many are gone. */
  readonly removeUnusedBlobs: (before: Millis) => Promise<number>;
  readonly redact: (text: string) => string;
  /** Makes a value known to `redact`. */
  readonly secret: (value: string) => void;
}

/** What commands and long-running processes use of it. */
export interface AppSchedule {
  /** Nothing becomes due: the emergency stop is on, or margay crashed again and again and nobody has looked. */
  readonly waits: boolean;
  /** Undefined when jobs are switched off. */
  readonly cron: CronService | undefined;
  readonly heartbeat: HeartbeatService;
  readonly greeting: GreetingService;
  /** Where the results of the heartbeat go now. */
  readonly heartbeatTarget: () => Promise<ScheduleTarget>;
  readonly parts: readonly { readonly name: string; run(signal: AbortSignal): Promise<void> }[];
  configure(loaded: Loaded): void;
}

export interface ComposeOptions {
  readonly loaded: Loaded;
  readonly language: Language;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Takes what goes to chats that no channel serves. Without it such replies wait. */
  readonly otherChannels?: Channel;
  /** One JSON line each. */
  readonly writeLog: (line: string) => void;
  /** Composed for one answer, which asks the model first of all. */
  readonly asksAtOnce?: boolean;
}
