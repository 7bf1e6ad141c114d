const PAGES = [
  ['overview', 'overview.png', 'The overview of a farm'],
  ['jobs', 'jobs.png', 'The list of jobs'],
  ['job-steps', 'job.png', 'The page of a job: its steps as a graph'],
  ['job-grid', 'job-grid.png', 'The tasks of a job as a grid'],
  ['job-timeline', 'job-timeline.png', 'The timeline of a job'],
  ['job-waiting', 'job-waiting.png', 'Why a job waits'],
  ['job-failures', 'job-failures.png', 'The failures of a job'],
  ['job-contact-sheet', 'contact-sheet.png', 'Previews of the outputs of a job'],
  ['queues', 'queues.png', 'The queues'],
  ['audit', 'audit.png', 'The audit log'],
].map(([name, file, caption]) => ({ taken: `${name}-1440-light.png`, file, caption }));

/** Pictures of the site: the screenshot that the tests save, the name of the picture, and what it shows. */
export const SCREENSHOTS = [
  ...PAGES,
  { taken: 'blender-panel-jobs.png', file: 'blender-panel.png', caption: 'The panel of the Blender add-on' },
];
