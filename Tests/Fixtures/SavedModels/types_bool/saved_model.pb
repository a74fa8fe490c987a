›
˜i


LogicalNot
x

y


NoOp
C
Placeholder
output"dtype"
dtypetype"
shapeshape:"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8–
J
xPlaceholder*
_output_shapes
:*
dtype0
*
shape:
5
opposite
LogicalNotx*
_output_shapes
:

initNoOp"ª*e
serving_defaultR

x
x:0
 
opposite

opposite:0
tensorflow/serving/predict