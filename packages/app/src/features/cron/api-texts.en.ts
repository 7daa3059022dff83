/** What routes of cron say. */
export const en = {
  runsDayAgent: "That is {count} runs a day; with the agent each one is a request to the model.",
  jobRunningAlready: "Job {id} is running already.",
  jobsSwitchedOff: "Jobs are switched off.",
  setCronEnabled: "Set cron.enabled to true and restart.",
  noJob: "There is no job {id}.",
  enoughJobs: "There are {count} jobs already. Delete one first.",
  notYourChat: "It can answer in your own conversations alone.",
} as const;
