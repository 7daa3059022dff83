/** Texts of `margay people` and `/whoami`. */
export const PEOPLE_TEXTS = {
  "about.people": "who writes to margay, and what they are to it",
  "about.people.list": "everybody who is known, and by which setting",
  "about.people.link": "an account on a chat platform that is yours: who writes from it may do all that you may",
  "about.people.unlink": "an account that is no longer yours",
  "about.people.explain": "what margay takes a sender for, and why; asks no model",
  "people.none": "Nobody but you: no chat platform admits anybody.",
  "people.role.operator": "owner",
  "people.role.guest": "guest",
  "people.role.stranger": "stranger",
  "people.by.entrance": "an entrance of this machine",
  "people.by.operators": "`channels.{channel}.operators`",
  "people.by.paired-operator": "a code, as operator",
  "people.by.listed": "`channels.{channel}.allowFrom`",
  "people.by.everyone": "`*` in `channels.{channel}.allowFrom`",
  "people.by.paired": "a code",
  "people.operator": "{who} is the owner, by {because}: sees what you see, and may do what you may.",
  "people.guest":
    "{who} is a guest, by {because}: sees nothing of the owner's files, memory and chats. If it is an account of the owner: `margay people link owner {who}`",
  "people.stranger":
    "{who} is a stranger: nothing of it reaches a model. In a private chat it gets a code for `margay channels pair CODE`. If it is an account of the owner: `margay people link owner {who}`",
  "people.program":
    "A program with a token of yours: sees what you see, and answers no questions. What a token may do is chosen where it is made.",
  "people.linked": "{who} is yours now. Text of its messages counts as your own word.",
  "people.already": "{who} was yours already.",
  "people.unlinked": "{who} is not yours any more.",
  "people.notLinked":
    "{who} is not among channels.{channel}.operators. `margay people list` shows who is known, and by what.",
  "people.unknown": "There is no person {name}; there is owner.",
  "people.identity":
    "Name an account as CHANNEL:ID, with the id the platform shows, not a name: telegram:42. Channels: {channels}.",
} as const;
