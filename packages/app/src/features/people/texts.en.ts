/** Texts of `margay people` and `/whoami`. */
export const PEOPLE_TEXTS = {
  "people.supervised.on":
    "From now on the owner of this margay reads what is said in your chats with it, also what was said before.",
  "people.supervised.off": "The owner of this margay no longer reads along in your chats.",
  "about.people": "who writes to margay, and what they are to it",
  "about.people.list": "everybody who is known, and by which setting",
  "about.people.add": "somebody who has files, memory and chats of their own here",
  "about.people.remove": "somebody who has no longer",
  "about.people.link":
    "an identity on a chat platform of `owner`, who may do all that you may, or of somebody who was added",
  "about.people.unlink": "an identity that is theirs no longer",
  "opt.people.name": "what margay calls them",
  "opt.people.role": "`member`, in a room of their own; `operator`, all that you may beside your own files",
  "opt.people.id": "who they are on a chat platform: `telegram:77`; may be given several times",
  "opt.people.delete": "their files and memory too; without it they stay",
  "about.people.explain": "what margay takes a sender for, and why; asks no model",
  "opt.people.group": "what becomes of their words in the group with this id",
  "opt.people.addressed": "as if they named margay there",
  "people.group.answer": "In the group {who} that is answered: its manner is `{mode}`.",
  "people.group.hear":
    "In the group {who} that is only heard: its manner is `{mode}`. What is named, a reply or a command is answered (`--addressed` shows it), unless the manner is `listen`.",
  "people.group.stranger":
    "In the group {who} that is only heard: who may speak to margay there stands in `channels.*.chats.*.allowFrom`.",
  "people.group.drop": "The group {who} is not read: write `/here` in it, or set its manner in `channels.*.chats`.",
  "people.group.late": "In the group {who} that is too old to be answered.",
  "people.agent": "The agent {agent} answers there, by {rule}, with the model {model}.",
  "people.link.code":
    "Send `/link {code}` within 10 minutes from your other account, in a private chat with me. Show it to nobody: whoever sends it first is you from then on.",
  "people.link.code.operator":
    "Send `/link {code}` within 10 minutes from your other account, in a private chat with me. I ask you here before it counts.",
  "people.link.wrong":
    "There is no such code, or its 10 minutes are over. `/link` in a private chat in which I know you gives one; `/whoami` says who you are here.",
  "people.link.taken": "{who} is somebody already, and an account belongs to one person. The code is void.",
  "people.link.already": "{who} is {person} already.",
  "people.link.asked": "This account is {who}. Now say yes in the chat that gave the code.",
  "people.link.ask":
    "{who} has sent the code that I gave here. If that is your account, write `/link yes`: it may do all that you may. If it is not: `/link no`.",
  "people.link.told":
    "{who} has sent the code that I gave here, and is you from now on. If that was not you, have the owner take it back: `margay people unlink {person} {who}`",
  "people.link.done": "{who} is {person} from now on.",
  "people.link.declined": "{who} is nothing more than before, and the code is void.",
  "people.link.nothing": "Nothing waits for that here. `/link` gives a code.",
  "people.link.failed":
    "{who} could not be linked, and the code is void. The owner can: `margay people link {person} {who}`",
  "about.people.invite": "a code for a day: who sends it to margay in a private chat is that person there",
  "people.invite.code":
    "The code of the invitation, until {until}. Give it, or the link, to this person alone: it is the first message they send to margay in a private chat, and whoever sends it first is them. It is not shown again.",
  "people.invite.operator":
    "Only a member is invited: a code that others may have read must not make an operator. `margay people link` names an account.",
  "people.invite.wrong":
    "There is no such code, it was used, or its day is over. Ask whoever gave it to you for another one.",
  "people.invite.known": "{who} is {name} here already, and an account belongs to one person.",
  "people.invite.done": "Welcome, {name}: I know this account from now on. Just write what you need.",
  "people.invite.told":
    "{who} has sent the code of the invitation for {name}, and is {name} from now on. If that was somebody else: `margay people unlink {name} {who}`",
  "people.invite.failed":
    "{who} could not be linked. Send the code again in a moment. The owner can do it too: `margay people link {name} {who}`",
  "people.none": "Nobody but you: no chat platform admits anybody.",
  "people.noIdentity": "(no identity yet)",
  "people.role.operator": "operator",
  "people.role.member": "member",
  "people.role.guest": "guest",
  "people.role.stranger": "stranger",
  "people.by.entrance": "an entrance of this machine",
  "people.by.person": "`people.{person}.ids`",
  "people.by.operators": "`channels.{channel}.operators`",
  "people.by.paired-operator": "a code, as operator",
  "people.by.listed": "`channels.{channel}.allowFrom`",
  "people.by.everyone": "`*` in `channels.{channel}.allowFrom`",
  "people.by.paired": "a code",
  "people.operator": "{who} is the owner, by {because}: sees what you see, and may do what you may.",
  "people.member":
    "{who} is {person}, a member, by {because}: has files, memory and chats of their own, and sees nothing of the owner's.",
  "people.otherOperator":
    "{who} is {person}, an operator, by {because}: may do what the owner may, and has files, memory and chats of their own.",
  "people.guest":
    "{who} is a guest, by {because}: sees nothing of the owner's files, memory and chats. If it is an account of the owner: `margay people link owner {who}`",
  "people.stranger":
    "{who} is a stranger: outside of groups nothing of it reaches a model. In a private chat it gets a code for `margay channels pair CODE`. If it is an account of the owner: `margay people link owner {who}`",
  "people.program":
    "A program with a token of yours: sees what you see, and answers no questions. What a token may do is chosen where it is made.",
  "people.added.member":
    "{name} is a member now: own files, memory, chats and jobs, without commands and servers, 500,000 tokens a day unless `people.{name}.tokensPerDay` says otherwise. Nothing of yours is read there. Whoever holds this machine can read their files.",
  "people.added.operator":
    "{name} is an operator now: answers questions like you, and has own files, memory and chats. Nothing of your files is read there.",
  "people.house": "What stands here is in their prompts too:",
  "people.removed": "{name} is nobody's name any more, and is not used again: journals speak of it.",
  "people.kept": "Their files stay. To remove them, delete:",
  "people.deleted": "Removed with all that was in it:",
  "people.name":
    "{name} is no name for a person: a short name in small letters, digits and -, beginning with a letter, and not `owner`, `guest`, `group`, `household`, `public` or `heartbeat`.",
  "people.there": "There is a person {name} already. `margay people link {name} CHANNEL:ID` adds an identity.",
  "people.gone": "{name} was somebody else, of whom journals speak. Choose another name.",
  "people.linked": "{who} is yours now. Text of its messages counts as your own word.",
  "people.linked.to": "{who} is {name} now.",
  "people.already.to": "{who} was {name} already.",
  "people.unlinked.to": "{who} is {name} no longer.",
  "people.already": "{who} was yours already.",
  "people.unlinked": "{who} is not yours any more.",
  "people.notLinked": "{who} is not in {path}. `margay people list` shows who is known, and by what.",
  "people.unknown": "There is no person {name}. There are: {known}. `margay people add` makes one.",
  "people.noShare": "Nothing is shared under that id. List what there is.",
  "people.identity":
    "Name an identity as CHANNEL:ID, with the id the platform shows, not a name: telegram:42. Channels: {channels}.",
} as const;
