// The state and the questions. What stands in the fields is the only copy of the input.

const kMostQuestions = 16, kMostOptions = 255;
const $ = (id) => document.getElementById(id);
const cards = () => [...$('questions').children];
const checked = (root) => root.querySelector('input:checked').value;
const optionRows = (card) => [...card.querySelectorAll('.options > li')];
const outcomeRows = (card) => [...card.querySelectorAll('.outcomes > li')];
// The rows whose probabilities an answer gives.
const answerRows = (card) =>
    checked(card.querySelector('.type')) === 'noul' ? outcomeRows(card) : optionRows(card);

let made = 0;  // radio buttons of each question need a name of their own

function clone(id) {
  const element = $(id).content.firstElementChild.cloneNode(true);
  translate(element);
  return element;
}

function readRow(row) {
  return [row.querySelector('.name').value, row.querySelector('.text').value];
}

function readQuestion(card) {
  return {
    id: card.querySelector('.id').value,
    type: checked(card.querySelector('.type')),
    instructions: card.querySelector('.instructions').value,
    options: optionRows(card).map(readRow),
    outcomes: outcomeRows(card).map((row) => [row.dataset.key, row.querySelector('.text').value]),
  };
}

function readForm() {
  return {
    mode: checked($('state-mode')),
    state: $('state').value,
    overLength: $('over-length').value,
    questions: cards().map(readQuestion),
  };
}

function addRow(list, name, text) {
  const row = clone('option-template');
  row.querySelector('.name').value = name;
  row.querySelector('.text').value = text;
  list.append(row);
  return row;
}

function addQuestion(question) {
  const card = clone('question-template');
  card.querySelector('.id').value = question.id;
  card.querySelector('.instructions').value = question.instructions;
  for (const radio of card.querySelectorAll('.type input')) {
    radio.name = `type-${made}`;
    radio.checked = radio.value === question.type;
  }
  made++;
  for (const [name, text] of question.options) addRow(card.querySelector('.options'), name, text);
  for (const [name, text] of question.outcomes) {
    const row = addRow(card.querySelector('.outcomes'), name, text);
    row.dataset.key = name;
    row.querySelector('.name').readOnly = true;
    row.querySelector('.name').tabIndex = -1;
    row.querySelector('.remove-option').remove();
  }
  $('questions').append(card);
  label(card);
  return card;
}

// What depends on the type, the place and the language.
function label(card) {
  const type = checked(card.querySelector('.type'));
  card.dataset.type = type;
  card.querySelector('.add-option').textContent = t(type === 'score' ? 'add_level' : 'add_option');
  optionRows(card).forEach((row, i) => {
    row.querySelector('.level').textContent = i;
    setHint(row.querySelector('.text'), type === 'score' ? t('level', {n: i}) : t('description'));
  });
  for (const row of outcomeRows(card)) {
    row.querySelector('.name').value = t(row.dataset.key);
    setHint(row.querySelector('.text'), t('outcome', {name: row.dataset.key}));
  }
}

function setHint(input, text) {
  input.placeholder = text;
  input.setAttribute('aria-label', text);
}

function labelAll() {
  const all = cards();
  all.forEach((card, i) => {
    label(card);
    card.querySelector('.up').disabled = i === 0;
    card.querySelector('.down').disabled = i === all.length - 1;
    card.setAttribute('aria-label', card.querySelector('.id').value);
  });
  $('count').textContent = t('count', {n: all.length, most: kMostQuestions});
  $('add').disabled = all.length >= kMostQuestions;
}

function loadForm(form) {
  $('state-mode').querySelector(`[value=${form.mode}]`).checked = true;
  $('state').value = form.state;
  $('over-length').value = form.overLength;
  $('questions').replaceChildren();
  form.questions.forEach(addQuestion);
  labelAll();
}

// A question of an example file, as readQuestion() gives it.
function fromExample(id, {type, instructions = '', criteria = {}}) {
  const described = Object.entries(criteria).map(([name, text]) => [name, text ?? '']);
  return {
    id,
    type,
    instructions,
    options: type === 'choice' ? described :
        type === 'score'       ? criteria.map((level) => ['', level]) :
                                 [['', ''], ['', '']],
    outcomes: ['true', 'false'].map((side) => [side, type === 'noul' ? criteria[side] ?? '' : '']),
  };
}

function exampleForm({example, questions}) {
  const mode = typeof example === 'string' ? 'text' : 'json';
  return {
    mode,
    state: mode === 'json' ? JSON.stringify(example, null, 2) : example,
    overLength: '',
    questions: Object.entries(questions).map(([id, question]) => fromExample(id, question)),
  };
}

function newQuestion() {
  const taken = new Set(cards().map((card) => card.querySelector('.id').value));
  let n = taken.size + 1;
  while (taken.has(`question_${n}`)) n++;
  return {...fromExample(`question_${n}`, {type: 'choice'}), options: [['', ''], ['', '']]};
}

// A level is a text alone, an option a name and perhaps a text: a change of type carries it over.
function convertRows(card) {
  const type = checked(card.querySelector('.type'));
  for (const row of optionRows(card)) {
    const [name, text] = [row.querySelector('.name'), row.querySelector('.text')];
    if (type === 'score' && !text.value) text.value = name.value;
    if (type === 'choice' && !name.value) [name.value, text.value] = [text.value, ''];
  }
  label(card);
}

function move(card, step) {
  const other = step < 0 ? card.previousElementSibling : card.nextElementSibling;
  if (other === null) return;
  if (step < 0)
    other.before(card);
  else
    other.after(card);
  labelAll();
  const button = card.querySelector(step < 0 ? '.up' : '.down');
  (button.disabled ? card.querySelector(step < 0 ? '.down' : '.up') : button).focus();
  card.scrollIntoView({block: 'nearest'});
}

function removeQuestion(card) {
  const next = card.nextElementSibling ?? card.previousElementSibling;
  card.remove();
  labelAll();
  (next?.querySelector('.remove') ?? $('add')).focus();
}

function addOption(card) {
  if (optionRows(card).length >= kMostOptions) return;
  const row = addRow(card.querySelector('.options'), '', '');
  label(card);
  firstField(row).focus();
}

function firstField(row) {
  return row.querySelector(row.closest('.question').dataset.type === 'score' ? '.text' : '.name');
}

function removeOption(row) {
  const card = row.closest('.question');
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  label(card);
  (next?.querySelector('.remove-option') ?? card.querySelector('.add-option')).focus();
}

// Enter goes on to the next option; after the last it makes a new one. (Shift and Enter: a new
// line.)
function nextOption(row) {
  if (row.nextElementSibling)
    firstField(row.nextElementSibling).focus();
  else
    addOption(row.closest('.question'));
}

// Faults that can be told here: [field, text]. The server would not see two equal names as two.
function faultsOf(form) {
  const faults = [], ids = new Set();
  if (form.mode === 'json') faults.push(...stateFaults(form.state));
  if (form.questions.length === 0) faults.push([$('add'), t('error_no_questions')]);
  cards().forEach((card, i) => {
    const {id, type, options} = form.questions[i];
    const field = card.querySelector('.id');
    if (!id) faults.push([field, t('error_id')]);
    if (ids.has(id)) faults.push([field, t('error_id_twice')]);
    ids.add(id);
    if (type !== 'noul') faults.push(...optionFaults(card, type, options));
  });
  return faults;
}

function stateFaults(text) {
  try {
    const value = JSON.parse(text);
    const fits = typeof value === 'string' || (typeof value === 'object' && value !== null);
    return fits ? [] : [[$('state'), t('error_json_kind')]];
  } catch (error) {
    return [[$('state'), t('error_json', {message: error.message})]];
  }
}

function optionFaults(card, type, options) {
  if (options.length === 0) return [[card.querySelector('.add-option'), t('error_no_options')]];
  const faults = [], names = new Set();
  optionRows(card).forEach((row, i) => {
    const [name, text] = options[i];
    if (type === 'score') {
      if (!text) faults.push([row.querySelector('.text'), t('error_level')]);
      return;
    }
    const field = row.querySelector('.name');
    if (!name.trim())
      faults.push([field, t('error_option')]);
    else if (names.has(name))
      faults.push([field, t('error_option_twice')]);
    names.add(name);
  });
  return faults;
}
