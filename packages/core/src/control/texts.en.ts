/** Answers of slash commands. */
export const en = {
  help: `/help – this list
/new – start afresh: the conversation so far leaves the context
/stop [number] – stop what is running and take back what waits; with a number of /status one subagent
/status – model, context, tokens, what is running
/usage – tokens and cost of this chat so far
/whoami – who you are here, and by which setting
/link [code] – another account of yours: without a code gives one, which you send from there
/memory – what the long-term memory holds
/compact – put the conversation so far into memory now
/model [provider/model] – show or change the model of this chat
/persona [name|none] – show or change the persona of this chat
/skill [name] – list the skills, or have one used for your next message
/skills – list the skills
/history – what was said here last
/cron – the scheduled jobs
/allow [code] [session] (or /approve), /deny [code] – answer a request for approval
/trust – vouch for everything this conversation holds now: what strangers wrote in it counts as yours
/rules – what runs unasked because somebody said so; \`/rules remove ID\` takes one back
/trust files [PATH…] – files that count as strangers' text; again with \`all\` or paths: vouch for them
/mcp [approve NAME] – the MCP servers; what one says of itself, before the model may read it
/quarantine [ID] – what commands left that would run by itself, kept aside; \`/quarantine restore ID\` puts it back, \`delete ID\` removes it
/stop all – stop every chat and pause the schedules until /resume
/restart – start the process again`,
  "help.group": `/digest – what was said here in the last day, in short
/here [off] – be in this group, or no more`,
  "help.agent": `/agent [name|none] – show or change the agent of this chat`,
  agent: "The agent of this chat is {agent}, by {rule}. There are: {names}. `/agent none` takes a choice back.",
  "agent.changed": "The agent of this chat is now {agent}, from the next message on.",
  "agent.unknown": "There is no agent {name} here. There are: {names}",
  "status.agent": "Agent: {agent} (by {rule})",
  "group.joined": "I am here now. I answer who names me or replies to me, and hear the rest.",
  "group.left": "I read nothing here any more. /here changes that.",
  "group.settled": "Nothing changed: look at `channels.*.chats` of the configuration, and at `channels/groups.json`.",
  "group.only": "That is for groups.",
  "link.off": "Accounts cannot be linked here.",
  "link.private": "Only in a private chat with me, where nobody else reads.",
  cleared: "Started afresh. Nothing of the conversation so far is in the context.",
  owner: "You are the owner here.",
  notAllowed: "Only an operator can do that.",
  unknown: "There is no command /{name}. /help lists them all.",
  "unknown.near": "There is no command /{name}. Did you mean /{close}? /help lists them all.",
  comma: ", ",

  "memory.empty": "The long-term memory is empty.",
  "memory.more": "… and {n} more {n|line|lines} in memory/MEMORY.md",
  "memory.off": "No long-term memory is kept here.",
  "compact.started": "The conversation is being put into memory. Its latest messages stay in the context.",
  "compact.nothing": "There is nothing to put into memory yet.",
  "compact.off": "No long-term memory is kept here.",

  "usage.input": "Input: {input} tokens, {share}% from the cache",
  "usage.output": "Output: {output} tokens",
  "usage.cost": "Cost: {cost}",
  "usage.unknown": "unknown",
  "usage.estimated": "Partly estimated: a provider did not report.",

  "stopped.turn": "the turn in hand",
  "stopped.answer": "the answer to “{turn}”",
  "stopped.subagent": "subagent {name}",
  "stopped.nothing": "Nothing is running here.",
  "stopped.waiting": "Nothing was running.",
  stopped: "Stopped.",
  "stopped.messages": "Took back {n} waiting {n|message|messages}:",
  "stopped.one": "Stopped. The others go on.\n- subagent {name}",
  "stopped.unknown": "No subagent {which} is running here. /status lists them; /stop alone ends everything.",
  "stopped.all": "Stopped the work of {n} {n|chat|chats}. The schedules are paused until /resume.",
  resumed: "The schedules go on.",
  "resumed.running": "The schedules are not paused.",
  restart: "Starting again. Open turns go on afterwards.",
  "restart.impossible":
    "Nothing here would start the process again. End it and start it yourself; open turns go on then.",

  "history.none": "Nothing was said here since the last /new.",
  "history.user": "You: {text}",
  "history.assistant": "I: {text}",
  "jobs.off": "No jobs are kept here.",
  "jobs.none": "There are no jobs.",
  model: "This chat uses {model}.",
  "model.changed": "This chat now uses {model}, from the next message on.",
  "model.unknown": "There is no model {name}. Give it as provider/model.",
  persona: "The persona of this chat is {persona}.",
  "persona.changed": "The persona of this chat is now {persona}, from the next message on.",
  "persona.unknown": "There is no persona {name}.",
  skills: "Skills: {names}",
  "skills.none": "No skill can be used here.",
  skill: "The skill {name} goes before your next message.",
  "skill.unknown": "There is no usable skill {name}.",
  "skill.others": "There is no usable skill {name}. There are: {names}",
  "resolved.allow": "Allowed, once.",
  "resolved.deny": "Denied.",
  "button.allow": "Allow once",
  "button.plain": "Allow in this chat",
  "button.deny": "Deny",
  "press.session": "Allowed in this chat, until /new.",
  "press.again": "This was answered already.",
  "press.expired": "This question is over. Nothing was done.",
  "press.changed": "By now it would do something else, so it is asked anew. Nothing was done.",
  "press.unknown": "No question belongs to this button. Nothing was done.",
  "asked.allow": "Allowed once by {by}, {at}.",
  "asked.session": "Allowed in this chat by {by}, {at}.",
  "asked.always": "Allowed in all chats by {by}, {at}.",
  "asked.deny": "Denied by {by}, {at}.",
  "asked.expired": "Nobody answered in time: over since {at}.",
  "asked.over": "No longer asked since {at}.",
  "asked.owner": "the owner",
  onlyOnce: "This is asked about each time: /allow {code}",
  noApproval: "Nothing waits for approval under {code}. It may have expired.",
  "which.none": "Nothing waits for approval here.",
  which: "Say which one: {codes}",

  trusted: "What this conversation holds counts as trusted now. What is read from here on is judged anew.",
  "trusted.already": "Nothing here is untrusted.",
  "files.none": "No file of the workspace counts as strangers' text.",
  files: "These count as strangers' text:",
  "files.origin": "{path} came from {origin}. Yours, or a stranger's?",
  "files.more": "and {n} more, of which this says nothing: `margay trust` shows all",
  "files.next":
    "`/trust files all` or `/trust files PATH` makes what is shown yours. What a stranger has a hand in later counts anew.",
  "files.stranger": "`/trust files stranger PATH`: the repository is a stranger's, and that is not asked again.",
  "files.unseen": "{paths} was not shown. /trust files shows what there is.",
  "files.endorsed": "Yours from now on:",
  "files.disowned": "A stranger's, as said:",
  "files.changed": "Changed since it was shown, so left as it is; /trust files shows it anew:",
  "files.unknown": "Not there any more:",

  "rules.none": "Nothing was answered for longer than once.",
  "rules.everywhere": "In all chats (`/rules remove ID` takes one back):",
  "rules.line": "{id} {shown} (by {by}, {time} UTC)",
  "rules.here": "In this chat, until /new:",
  "rules.removed": "Asked about again from now on: {shown}",
  "rules.unknown": "There is no rule {id}. /rules lists them.",

  "quarantine.head": "Left behind by commands and kept aside, because each would run by itself:",
  "quarantine.none": "Nothing is kept aside.",
  "quarantine.more": "and {n} more: `margay quarantine` lists all",
  "quarantine.next":
    "`/quarantine ID` shows what is in one, `/quarantine restore ID` puts it back, `/quarantine delete ID` removes it. After 30 days each is removed.",
  "quarantine.size.file": "{bytes} bytes",
  "quarantine.size.directory": "folder, {bytes} bytes",
  "quarantine.size.link": "link",
  "quarantine.line": "{path} ({why}), {size}",
  "quarantine.about": "{path} ({size}), kept aside for: {why}",
  "quarantine.noText": "It is no text.",
  "quarantine.cut": "Only the beginning is shown: `margay quarantine show {id}` shows more.",
  "quarantine.offer": "`/quarantine restore {id}` puts exactly this back, `/quarantine delete {id}` removes it.",
  "quarantine.changed": "Nothing was done: it is not what was shown here. This is what it is now:",
  "quarantine.which": "Say which one: `/quarantine {verb} ID`. /quarantine lists them.",
  "quarantine.unknown":
    "Nothing is kept aside as {id}. It may have been taken back or removed; /quarantine lists what there is.",
  "quarantine.restored": "{path} is back at its place, and yours.",
  "quarantine.occupied":
    "Something else is at {path} by now, so nothing was changed. Move that away, then: `/quarantine restore {id}`",
  "quarantine.other": "It is not what was shown here, so nothing was changed. Look again: `/quarantine {id}`",
  "quarantine.deleted": "{path} is removed.",

  "status.model": "Model: {model}",
  "status.context": "Context: about {size} tokens ({share}%), {messages} messages in this epoch",
  "status.tokens": "Tokens: {input} in ({cached}% cached), {output} out{cost}",
  "status.idle": "State: idle",
  "status.children": "State: {n} {n|subagent|subagents} at work",
  "status.working": "State: working, step {step}, {running} tools running, {asked} waiting for approval",
  "status.waiting": "Waiting: {pending} messages; not delivered: {undelivered}",
  "status.held": "Held until somebody writes in their chat: {n}",
  "status.uncertain": "May have arrived, and {n|waits|wait} for a person: {n} (`margay channels waiting`)",
  "status.child": "{at}. {name}: step {step}, for {time} (/stop {at} ends it)",
  "status.seconds": "{n} s",
  "status.minutes": "{n} min",

  "server.none": "There is no MCP server.",
  "server.line": "- {name}: {state}, {n} {n|tool|tools}",
  "server.waits": ", waits for review: `/mcp approve {name}`",
  "server.first": "{name} says this of itself. Once approved, the model reads it as it reads your own instructions.",
  "server.again": "{name} says other things of itself than those you approved.",
  "server.answer": "`/mcp approve {name} {code}` approves exactly this, `/mcp refuse {name} {code}` keeps it out.",
  "server.approved": "{name} is approved: its tools are offered from the next message on.",
  "server.refused": "Not approved. {name} stays suspended.",
  "server.changed": "What {name} says is not what was shown any more: `/mcp approve {id}` shows it anew.",
  "server.nothing": "Nothing of {name} waits for review.",
  "server.unknown": "There is no MCP server {name}. /mcp lists them.",
  "server.silent": "{name} does not answer, so there is nothing to look at: `margay mcp test {id}` says why.",
  "server.usage": "`/mcp` lists the servers; `/mcp approve NAME` shows what one says of itself.",
  "server.state.off": "not connected yet",
  "server.state.connecting": "connecting",
  "server.state.up": "up",
  "server.state.failed": "failed",
  "server.state.login": "needs a sign-in",
  "server.state.changed": "suspended",
  "server.state.unapproved": "suspended",
  "server.kind.added": "new",
  "server.kind.removed": "gone",
  "server.kind.changed": "changed",
  "server.effect.read": "says that it only reads: runs unasked",
  "server.effect.idempotent": "says that it may be repeated",
  "server.effect.write": "may change things",
  "server.comma": ", ",
  "server.instructions": "Instructions:",
  "server.before": "before:",
  "server.now": "now:",
  "server.parameters": "parameters:",
  "server.cut": "{n} more characters are not shown here: `margay mcp approve NAME --full` or the page MCP shows them.",
  "server.more": "and {n} more tools: `margay mcp approve NAME` or the page MCP shows them.",
} as const;
