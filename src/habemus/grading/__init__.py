"""Exercises, and the grading of submissions.

exercise.py     the file of an exercise: task, starting code, and the parts that are graded
formula.py      the bounds in it, such as n * (n + 1) / 2
means.py        what a submission may use: it is read before it is run
loading.py      from the text of a submission to its class or function
watching.py     what its clauses do, refused while they run
judging.py      each part judged: random runs, every run of a small group, cost, an arrangement of ids
grade.py        what comes of it: points, remarks, a counterexample
worker.py       the process in which one submission is graded, and can do no harm
rehearsal.py    a teacher's own exercise, tried with its starting code
submission.py   one submission given to such a process, within a time limit
class_list.py   all submissions of a folder, several at a time; the CSV
"""
