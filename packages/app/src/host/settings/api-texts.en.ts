/** What routes of host/settings/ say. */
export const en = {
  configurationProcessHanded: "The configuration of this process was handed over by a program, and no file holds it.",
  changeWhereProgram: "Change it where the program makes it.",
  setOnCommand: "{path} was set on the command line of this start, which holds over the file.",
  startMargayWithout: "Start margay without that flag.",
  configJsonEdited: "config.json was edited by hand and cannot be used: {value}",
  runAndCorrect: "Run `margay config check` and correct the file. Until then the last good configuration holds.",
  nothingWasWritten: "Nothing was written. Correct the fields that are named.",
} as const;
