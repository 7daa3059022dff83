/** `@margay/channel-email`: what mails say. The channel that reads and sends them is built from these. */
export { isAuthentic, type AuthenticationQuestion } from "./authentication.ts";
export { automatic, type Automatic, type AutomaticReason, type Own, type ReceivedMail } from "./automatic.ts";
export { isOurs, messageIdOf } from "./message-id.ts";
export { newText, type NewText } from "./new-text.ts";
export { answerFields, answerSubject, messageIds, threadIds, threadRoot } from "./thread.ts";
export type { AnswerFields, ThreadFields } from "./thread.ts";
export type { Header } from "./headers.ts";
