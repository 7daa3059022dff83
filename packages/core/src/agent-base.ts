/** What the parts of an agent are made from, and what they are called by each other. */
import type { Configured } from "./agent-deps.ts";
import type { CurrentDeps } from "./agent-rooms.ts";
import type { AgentServices } from "./agent-services.ts";
import type { AgentOptions, AgentSettings } from "./contract/agent-options.ts";
import type { ChannelInbox } from "./contract/bus.ts";
import type { ChannelSet } from "./contract/channel.ts";
import type { Audience } from "./contract/people.ts";
import type { CommandActions } from "./control/actions.ts";
import type { ControlDeps } from "./control/control.ts";
import type { EmergencyStop } from "./control/emergency-stop.ts";
import type { Lanes } from "./lib/async/lanes.ts";
import type { Fetching } from "./channels/media/fetching.ts";
import type { ConnectedSessions } from "./loop/connect.ts";
import type { Claimed } from "./loop/lanes/claimed.ts";
import type { LoopDeps } from "./loop/deps.ts";
import type { Recovery } from "./loop/recovery.ts";
import type { createConsolidations } from "./memory/consolidation-lanes.ts";
import type { AskedCalls } from "./people/asked-calls.ts";
import type { KeptBack } from "./people/kept-back.ts";
import type { Releases } from "./people/releases.ts";
import type { DirectCalls } from "./seeds/direct-call.ts";
import type { Subagents } from "./subagents/subagents.ts";

/** What the parts are made from. */
export interface Base {
  readonly options: AgentOptions;
  readonly services: AgentServices;
  readonly configured: () => Configured;
  /** @param audience Who reads what is made by them. Absent: the owner. */
  readonly settings: (audience?: Audience) => AgentSettings;
  readonly channels: ChannelSet;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}
export interface Parts {
  readonly deps: () => LoopDeps;
  readonly depsOf: CurrentDeps["depsOf"];
  readonly fetching: Fetching;
  readonly connected: ConnectedSessions;
  readonly recovery: Recovery;
  readonly direct: DirectCalls;
  /** What somebody else would be told. Undefined: there are no persons. */
  readonly releases: Releases | undefined;
  readonly askedCalls: AskedCalls | undefined;
  readonly keptBack: KeptBack | undefined;
  readonly lanes: Lanes;
  /** Undefined: this process drives every session. */
  readonly claims: Claimed | undefined;
  readonly consolidations: ReturnType<typeof createConsolidations>;
  readonly controlDeps: ControlDeps;
  readonly emergencyStop: EmergencyStop;
  readonly actions: CommandActions;
  readonly inbox: ChannelInbox;
  readonly subagents: Subagents | undefined;
  /** A child has lanes of its own, so that it takes no slot of a conversation. */
  readonly laneOf: (key: string) => Lanes;
  readonly wake: (key: string) => void;
}
