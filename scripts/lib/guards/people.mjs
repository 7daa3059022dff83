// What others than the owner see: guests, and persons with rooms of their own.

const GUESTS = ["packages/app/test/channels/guests.test.ts"];
const ROOMS = ["packages/app/test/channels/rooms.test.ts"];
const JOBS = ["packages/app/test/channels/person-jobs.test.ts"];
const LINKS = ["packages/app/test/channels/link.test.ts"];
const AUDIENCE = "packages/core/src/people/audience.ts";
const ROOM = "packages/app/src/compose/rooms.ts";
const PICKED = "packages/core/src/agent-rooms.ts";

const SHARES = ["packages/app/test/channels/shares.test.ts"];
const RELEASES = "packages/core/src/people/releases.ts";

const READERS = ["packages/app/test/channels/readers.test.ts"];
const READING = "packages/core/src/people/reading.ts";

const SHARED = ["packages/app/test/channels/shared.test.ts"];
const SHARED_FOLDER = ["packages/core/test/builtin/shared-folder.test.ts"];
const VIEW = "packages/core/src/builtin/files/shared-folder.ts";
const MOUNT = "packages/core/src/machine/files/mounted-folder.ts";

const ASKED_CALLS = ["packages/core/test/people/asked-calls.test.ts"];
export const PEOPLE_GUARDS = [
  {
    id: "shared folder: what another may not tell the household",
    file: READING,
    find: "if (!isOwn(others, state, attended, isAlone)) return",
    replace: "if (others.length < 0) return",
    tests: SHARED,
  },
  {
    id: "shared folder: words in view of another's",
    file: READING,
    find: "(await isSaid(write, state))",
    replace: "true",
    tests: SHARED,
  },
  {
    id: "shared folder: the name of a new file",
    file: "packages/core/src/people/shared-writes.ts",
    find: "before === undefined ? path",
    replace: "before === null ? path",
    tests: SHARED,
  },
  {
    id: "shared folder: whose word a content is",
    file: "packages/core/src/labels/file-writers.ts",
    find: "known().contents.get(path)?.get(sha256) === by",
    replace: "known().contents.get(path)?.has(sha256) === true",
    tests: SHARED,
  },
  {
    id: "shared folder: a change of another's file",
    file: VIEW,
    find: 'const isOwn = write.part === "whole" ||',
    replace: 'const isOwn = write.part !== "none" ||',
    tests: SHARED,
  },
  {
    id: "shared folder: what was written after a stranger's text was read",
    file: VIEW,
    find: "isOwn && !isUntrusted(context.label) ?",
    replace: "isOwn ?",
    tests: SHARED_FOLDER,
  },
  {
    id: "shared folder: what is read there stays in the household",
    file: VIEW,
    find: "({ ...asUntrusted(result), readers })",
    replace: "asUntrusted(result)",
    tests: SHARED,
  },
  {
    id: "shared folder: not of groups and agents with a folder of their own",
    file: ROOM,
    find: "const hasShared = folder === home && !isOfGroup;",
    replace: "const hasShared = true;",
    tests: SHARED,
  },
  {
    id: "shared folder: what the workspace has under its name",
    file: MOUNT,
    find: "if (isThere() && (real === as ||",
    replace: "if (as === path && (real === as ||",
    tests: SHARED_FOLDER,
  },
  {
    id: "files: the answer of an edit",
    file: "packages/core/src/builtin/files/edit-file.ts",
    find: "return mark(await edit(",
    replace: 'return mark === undefined ? "" : (await edit(',
    tests: SHARED_FOLDER,
  },
  {
    id: "readers: calls that tell somebody",
    file: READING,
    find: "if (isOwn(others, state, attended, people.isAlone)) return",
    replace: "if (others.length >= 0) return",
    tests: READERS,
  },
  {
    id: "readers: what a message carries",
    file: READING,
    find: "      const readers = placed(needs(state), reader, people);\n",
    replace: "      const readers = undefined;\n",
    tests: READERS,
  },
  {
    id: "readers: answers and replies that wait",
    file: READING,
    find: 'people).length === 0 ? undefined : say(language())("withheld")',
    replace: "people).length === 0 ? undefined : undefined",
    tests: READERS,
  },
  {
    id: "readers: what the search finds of a guest",
    file: "packages/core/src/memory/recall.ts",
    find: "joinReaders(row.readers, guests)",
    replace: "row.readers",
    tests: READERS,
  },
  {
    id: "readers: another's words steer nobody",
    file: READING,
    find: '...(!steers && { integrity: "untrusted" }),',
    replace: "",
    tests: READERS,
  },
  {
    id: "guests: who is one",
    file: "packages/app/src/host/people.ts",
    find: '(person ?? "guest")',
    replace: "person",
    tests: GUESTS,
  },
  {
    id: "rooms: their prompt",
    file: PICKED,
    find: "context: own.context,",
    replace: "",
    tests: [...GUESTS, ...ROOMS],
  },
  { id: "rooms: their tools", file: PICKED, find: "tools: own.tools,", replace: "", tests: [...GUESTS, ...ROOMS] },
  {
    id: "rooms: their memory",
    file: PICKED,
    find: "      memory,\n",
    replace: "",
    tests: ROOMS,
  },
  {
    id: "guests: what was said before they came",
    file: AUDIENCE,
    find: "if (isUnused(session.state)) await",
    replace: "if (true) await",
    tests: GUESTS,
  },
  {
    id: "rooms: whoever comes into another's chat takes the room away",
    file: AUDIENCE,
    find: 'return state.audience === "guest" || isGroup(state.audience) ? undefined : "guest";',
    replace: "return undefined;",
    tests: ROOMS,
  },
  {
    id: "rooms: where a chat is not said to be private, it is nobody's own",
    file: AUDIENCE,
    find: 'audience !== "guest" && chat === "private"',
    replace: 'audience !== "guest"',
    tests: ROOMS,
  },
  {
    id: "rooms: what a journal says names no folder",
    file: ROOM,
    find: "if (!hasRoom(audience)) return guests;",
    replace: 'if (audience === "guest") return guests;',
    tests: ROOMS,
  },
  {
    id: "jobs: of whose chat the conversation is gone",
    file: "packages/app/src/host/readers.ts",
    find: "state.audience ?? by;",
    replace: "state.audience;",
    tests: JOBS,
  },
  {
    id: "jobs: into whose chat somebody came",
    file: "packages/core/src/schedule/run-job.ts",
    find: "return session?.state.audience === (await audienceAt(job));",
    replace: "return true;",
    tests: JOBS,
  },
  {
    id: "rooms: nobody writes from elsewhere",
    file: AUDIENCE,
    find: "(isPerson(audience) || isGroup(audience)) &&",
    replace: "false &&",
    tests: ROOMS,
  },
  {
    id: "guests: commands",
    file: "packages/core/src/control/who-may.ts",
    find: ": OF_GUESTS.has(name);",
    replace: ": true;",
    tests: GUESTS,
  },
  {
    id: "rooms: commands of a member",
    file: "packages/core/src/control/who-may.ts",
    find: "audience === own ? OF_MEMBERS.has(name)",
    replace: "audience === own ? true",
    tests: ROOMS,
  },
  {
    id: "rooms: commands in what another reads",
    file: "packages/core/src/control/who-may.ts",
    find: "return OF_OUTSIDERS.has(name);",
    replace: "return true;",
    tests: ROOMS,
  },
  {
    id: "rooms: a subagent's audience",
    file: "packages/core/src/subagents/subagents.ts",
    find: "await session.commit(...audienceSet(audience));",
    replace: "await session.commit();",
    tests: ROOMS,
  },
  {
    id: "rooms: what the owner finds",
    file: "packages/core/src/memory/recall.ts",
    find: 'return audience === undefined || audience === "guest";',
    replace: "return true;",
    tests: ROOMS,
  },
  {
    id: "rooms: what a person finds",
    file: ROOM,
    find: "reads: (other) => other === audience,",
    replace: "",
    tests: ROOMS,
  },
  {
    id: "rooms: no path leads out of a folder",
    file: ROOM,
    find: "restrictToWorkspace: true",
    replace: "restrictToWorkspace: false",
    tests: ROOMS,
  },
  {
    id: "rooms: into whose memory what was said goes",
    file: "packages/core/src/session/reduce-memory.ts",
    find: "messages, ...readBy(state) }",
    replace: "messages }",
    tests: ROOMS,
  },
  {
    id: "rooms: an identity belongs to one person",
    file: "packages/app/src/config/people-faults.ts",
    find: "else if (before.person !== person)",
    replace: "else if (false)",
    tests: ["packages/app/test/channels/persons.test.ts"],
  },
  {
    id: "links: an operator's chat says yes too",
    file: "packages/app/src/features/people/linking.ts",
    find: 'giver.role === "operator"',
    replace: 'giver.role === "guest"',
    tests: LINKS,
  },
  {
    id: "links: five wrong codes",
    file: "packages/app/src/features/people/linking.ts",
    find: "if (open.wrong >= TRIES) {",
    replace: "if (false) {",
    tests: LINKS,
  },
  {
    id: "releases: a no sends nothing",
    file: RELEASES,
    find: 'if (release?.verdict !== "allow" || ',
    replace: "if (release === undefined || ",
    tests: ["packages/app/test/channels/releases.test.ts"],
  },
  {
    id: "shares: of this reader alone",
    file: "packages/core/src/people/put-release.ts",
    find: " && each.reader === reader)",
    replace: ")",
    tests: SHARES,
  },
  {
    id: "shares: all that an answer was made of",
    file: "packages/core/src/people/put-release.ts",
    find: "lasting.every(",
    replace: "lasting.some(",
    tests: SHARES,
  },
  {
    id: "shares: a look that found nothing has no name",
    file: "packages/core/src/people/look-up.ts",
    find: "const isNamed = isAll && ",
    replace: "const isNamed = ",
    tests: SHARES,
  },
  {
    id: "shares: what stood there, not where",
    file: "packages/core/src/people/look-up.ts",
    find: "seen: JSON.stringify([name, source, words]),",
    replace: "seen: JSON.stringify([name, source, line]),",
    tests: SHARES,
  },
  {
    id: "shares: taken back by whom it belongs to",
    file: "packages/app/src/features/people/shares.ts",
    find: "(each) => each.of === person && ",
    replace: "(each) => ",
    tests: SHARES,
  },
  {
    id: "rooms: where the owner's skills lie",
    file: ROOM,
    find: "directory: `skills/${skill.name}`",
    replace: "directory: skill.directory",
    tests: ROOMS,
  },
  {
    id: "asked calls: their text stays out of the chat that asks",
    file: "packages/core/src/people/whose-word.ts",
    find: "return { ...verdict, of: { person: OWNER, told: options.once(context.state.turn, told) } };",
    replace: "return { ...verdict, of: { person: OWNER } };",
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a member answers what stays in their own room, and there",
    file: "packages/core/src/control/who-may.ts",
    find: "return isOf && isPerson(reader) && reader === audience",
    replace: 'return item?.status === "asked" && isPerson(reader)',
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a late yes holds for ten minutes",
    file: "packages/core/src/people/whose-word.ts",
    find: "Number(until) > now() &&",
    replace: "",
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a late yes is for exactly that call",
    file: "packages/core/src/people/whose-word.ts",
    find: "{ ...proposed, callId: call }, callFiles) === hash",
    replace: "{ ...proposed, callId: call }, callFiles) !== undefined",
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a late yes is used once",
    file: "packages/core/src/lib/approval-choices.ts",
    find: "rule !== `${LATE} ${each.call}`",
    replace: "true",
    tests: ASKED_CALLS,
  },
  {
    id: "codes: three wrong ones",
    file: "packages/core/src/control/approvals.ts",
    find: 'if (word !== "" && actions.codes.isLocked(guesser))',
    replace: "if (false)",
    tests: ASKED_CALLS,
  },
];
