// What others than the owner see: guests, and persons with rooms of their own.

const GUESTS = ["packages/app/test/channels/guests.test.ts"];
const ROOMS = ["packages/app/test/channels/rooms.test.ts"];
const JOBS = ["packages/app/test/channels/person-jobs.test.ts"];
const LINKS = ["packages/app/test/channels/link.test.ts"];
const INVITES = ["packages/app/test/channels/invite.test.ts"];
const INVITATIONS = "packages/app/src/features/people/invitations.ts";
const AUDIENCE = "packages/core/src/people/audience.ts";
const ROOM = "packages/app/src/compose/rooms/rooms.ts";
const PICKED = "packages/core/src/agent-rooms.ts";
const READERS = ["packages/app/test/channels/readers.test.ts"];
const READING = "packages/core/src/people/reading.ts";

export const PEOPLE_GUARDS = [
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
    find: 'await session.commit({ type: "audience.set", audience });',
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
    file: "packages/app/src/compose/rooms/room-parts.ts",
    find: "reads: (other) => other === audience,",
    replace: "",
    tests: ROOMS,
  },
  {
    id: "rooms: no path leads out of a folder",
    file: "packages/app/src/compose/rooms/room-parts.ts",
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
    id: "invitations: for the first that sends the code",
    file: INVITATIONS,
    find: "(found.usedBy ?? who) === who",
    replace: "who !== undefined",
    tests: INVITES,
  },
  {
    id: "invitations: what is done makes nothing again",
    file: INVITATIONS,
    find: "found.done !== true && ",
    replace: "",
    tests: INVITES,
  },
  {
    id: "invitations: five wrong codes",
    file: INVITATIONS,
    find: "const isOver = wrong >= TRIES;",
    replace: "const isOver = false;",
    tests: INVITES,
  },
  {
    id: "invitations: members alone",
    file: "packages/app/src/features/people/invited.ts",
    find: 'roleIn(open.loaded().config, found.person) !== "member"',
    replace: "roleIn(open.loaded().config, found.person) === undefined",
    tests: INVITES,
  },
  {
    id: "invitations: the code reaches no journal and no model",
    file: "packages/app/src/features/access/admission.ts",
    find: 'return { ok: false, reason: "the code of an invitation", answer: welcome };',
    replace: "return { ok: true };",
    tests: INVITES,
  },
  {
    id: "links: five wrong codes",
    file: "packages/app/src/features/people/linking.ts",
    find: "if (open.wrong >= TRIES) {",
    replace: "if (false) {",
    tests: LINKS,
  },
  {
    id: "rooms: where the owner's skills lie",
    file: "packages/app/src/compose/rooms/room-parts.ts",
    find: "directory: `skills/${skill.name}`",
    replace: "directory: skill.directory",
    tests: ROOMS,
  },
];
