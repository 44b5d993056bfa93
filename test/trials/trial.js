// What every trial gets, and what it must answer.

/**
 * @typedef {object} TrialOptions
 * @property {boolean} quick A short version, of a minute at most; without it the long run whose figures count.
 * @property {string} folder An empty folder on a real disk for the trial's files; removed afterwards.
 * @property {(text: string) => void} say Where it is, now and then, for whoever waits.
 *
 * @typedef {object} Finding One line of the report.
 * @property {string} fault What was done to the service.
 * @property {string} tried How often, such as `200 kills, 48 310 acknowledged writes`.
 * @property {string} found What came of it, in figures, such as `0 lost`.
 * @property {boolean | undefined} holds Whether that is what is promised; undefined where it could not be tried here.
 *
 * @typedef {(options: TrialOptions) => Promise<Finding[]>} Trial
 */

export {};
