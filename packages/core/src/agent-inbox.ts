/** The doors of an agent for what people do: a message, a change of one, a button. */
import { createAudience, isOwn } from "./people/audience.ts";
import { createGroups, type Groups } from "./people/groups.ts";
import { createWriting, type Write } from "./people/written.ts";
import { commandIn } from "./control/commands.ts";
import { answerCommand } from "./control/answer-command.ts";
import { control, mayPress } from "./control/control.ts";
import { createEdits } from "./control/edits.ts";
import { mayRelease, releaseIn } from "./control/who-may.ts";
import { emergencyStopped } from "./control/emergency-stop.ts";
import { createPress } from "./control/press.ts";
import { nameIn } from "./channels/asked-messages.ts";
import { foreignAnswer, fullAnswer, guestWelcome, otherReaders, stoppedAnswer } from "./loop/texts.ts";
import { createInbox } from "./loop/inbox.ts";
import type { ChannelInbox } from "./contract/bus.ts";
import type { CommandActions } from "./contract/commands.ts";
import { mayStop } from "./session/opened-by.ts";
import { receivedKeys } from "./journal/received-keys.ts";
import type { Base, Parts } from "./agent-base.ts";

/** Asked when something runs: all of them exist by then. */
type All = () => Pick<Parts, "actions" | "connected" | "controlDeps" | "emergencyStop" | "wake">;

export function agentInbox(base: Base, all: All): ChannelInbox {
  const { options, services, settings } = base;
  const { clock, ids, log, redact, policy } = services;
  const { people } = options;
  const actions: Pick<CommandActions, "mayApprove" | "language" | "clear"> = {
    mayApprove: options.mayApprove ?? (() => true),
    language: () => settings().language,
    clear: (session, by, also) => all().actions.clear(session, by, also),
  };
  const keys = receivedKeys({ directory: `${options.directory}/keys`, clock, log });
  const press = createPress({
    admit: policy.admit.bind(policy),
    mayApprove: actions.mayApprove,
    speaker: people?.speaker ?? (() => ({ role: "operator" })),
    language: actions.language,
    sessions: services.sessions,
    find: (key) => all().connected.find(key),
    keys,
    control: () => all().controlDeps,
    nameOf: nameIn,
  });
  const { groups, write } = written(base, all, actions.mayApprove);
  const inbox = createInbox({
    open: (key, origin) => all().connected.open(key, origin),
    find: (key) => all().connected.find(key),
    keys,
    policy,
    log,
    maxPending: () => settings().maxPending,
    write,
    redact,
    wake: (key) => all().wake(key),
    control: async (session, { control: action, from, origin }, handled) => {
      const who = people?.speaker(from, origin) ?? { role: "operator" as const };
      const release = releaseIn(session.state, action);
      if (release !== undefined && !mayRelease(release, who)) return;
      if (mayPress(action, actions.mayApprove(from, origin)) && mayStop(session.state, from, who.role))
        await control(session, action, from, all().controlDeps, handled);
    },
    ...(people !== undefined && {
      readBy: createAudience({
        speaker: people.speaker,
        told: () => otherReaders(settings().language),
        welcome: () => guestWelcome(settings().language),
        foreign: () => foreignAnswer(settings().language),
        clear: actions.clear,
      }),
    }),
    ...(groups !== undefined && { groups }),
    command: (session, message, text) => answerCommand(session, message, text, { ids, actions: all().actions }),
    stopped: () =>
      all().emergencyStop.on
        ? { reason: emergencyStopped().message, answer: stoppedAnswer(settings().language) }
        : undefined,
    fullAnswer: (waiting) => fullAnswer(waiting, settings().language),
  });
  const admits: ChannelInbox["admits"] = async ({ from, origin, chat, ...said }) => {
    // Not as a private word: that would give a stranger a code before they said anything.
    const asked = { key: "", from, origin, parts: [], ...(chat === "group" && { chat }) };
    const { ok } = await policy.admit(asked);
    if (!ok || chat !== "group" || groups === undefined) return ok;
    return (await groups.gate({ ...said, ...asked, parts: said.parts ?? [] }, ok)) === "answer";
  };
  const edits = createEdits({
    accept: inbox.accept,
    admit: policy.admit.bind(policy),
    sessions: services.sessions,
    find: (key) => all().connected.find(key),
    keys,
    write,
    ...(groups !== undefined && { groups }),
    command: commandIn,
    control: () => all().controlDeps,
  });
  return { ...inbox, press, admits, ...edits };
}

/** What is done about groups, and how a message stands in its conversation. */
function written(
  { options: { people }, services, settings, channels }: Base,
  all: All,
  mayApprove: CommandActions["mayApprove"],
): { readonly groups: Groups | undefined; readonly write: Write } {
  const { clock, ids, redact } = services;
  const burstMs = (id: string): number => channels.get(id)?.can.burstMs ?? 0;
  const groups =
    people === undefined
      ? undefined
      : createGroups({
          people,
          open: (key, origin) => all().connected.open(key, origin),
          sessions: services.sessions,
          clock,
          ids,
          redact,
          burstMs,
          command: commandIn,
        });
  const write = createWriting({
    clock,
    ids,
    ...(groups !== undefined && { place: groups.place }),
    burstMs,
    mediaFirst: () => settings().mediaOrder === "media-first",
    redact,
    steers: ({ state }, { from, origin }) =>
      mayApprove(from, origin) || (people !== undefined && isOwn(state, people.speaker(from, origin))),
  });
  return { groups, write };
}
