export const en = {
  withheld: "I may not say that here. Its owner must do it.",
  "withheld.asked": "I may not say that here. I have asked.",

  owner: "the owner",
  "owner.first": "The owner",

  "release.asked":
    "In the conversation of {from}, {reader} ({chat}) would be told this, and it may hold what is yours. Only {reader} would read it:",
  "release.answered":
    "In the conversation of {reader} ({chat}) I would have answered this, and it may hold what is yours. Only {reader} would read it:",
  "release.blind":
    "What I would say here ({chat}) is made of what is not for you, and it may hold what is yours. I can ask {others}, who would read all of it; you would read it after their yes.",
  "release.blindAnswer": "`/allow {code}` has me ask, `/deny {code}` has not. After 24 hours nobody is asked.",
  "release.question": "{from} asks you by way of me, and hears nothing unless you say so:",
  "release.draft": "I would answer, in what you let me read, and {reader} alone would read it:",
  "release.nothing": "I found nothing about it in what is yours.",
  "release.sources": "What of yours it may be made of:",
  "release.found": "From:",
  "release.then": "After you {others} is asked too, and sees it then.",
  "release.answer":
    "`/allow {code}` has exactly this sent, `/allow {code} YOUR WORDS` those instead, `/deny {code}` nothing. Nobody is told which. After 24 hours nothing is sent.",
  "release.words":
    "`/allow {code} YOUR WORDS` has those sent, `/deny {code}` nothing. Nobody is told which. After 24 hours nothing is sent.",
  "release.always":
    "`/allow {code} always` has it sent, and what is made of just these, as they stand there now, goes to {reader} unasked from then on. `/shared` lists that and takes it back.",
  "release.told": "earlier: {text}",
  "release.earlier": "something earlier there",
  "release.by": "found by {tool}",
  "ask.answer": "{name} answers: {text}",
  flood:
    "More than {count} messages in a minute are too many for me: what comes beyond that is not read. Write again in a minute. /stop works at any time.",
  floodInGroup: "Somebody writes me more than {count} messages in a minute: what comes beyond that is not read.",

  "chat.titled": "“{title}”, {chat}",

  "call.askedFirst": "I have to ask first.",
  "call.askedOwner": "I have to ask the owner first, who sees what I would do.",
  "call.asked": "In {place} I would do this, and may not without your word:",
  "call.room": "the conversation of {name}",
  "call.group": "a group ({chat})",
  "call.guest": "a guest's chat ({chat})",
  "call.answer":
    "`/allow {code}` lets me do exactly this, once; `/deny {code}` does not. I wait for a while and go on without; a yes after that lets me do it then. After 24 hours it is over.",
} as const;
