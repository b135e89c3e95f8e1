import { inject } from 'vitest';
import { describeGuides } from '../../../test/support/clients/describe-guides.ts';
import { PYTHON, SOURCE } from './python-client.ts';

describeGuides(inject('workerBundle'), {
  name: 'Python',
  blocks: 'python',
  file: 'py',
  prepare: (program) => program,
  command: [PYTHON, '-W', 'error'],
  variables: { PYTHONPATH: SOURCE, PYTHONDONTWRITEBYTECODE: '1' },
});
